import type { Queryable } from './connection.ts'

/** Of each cell the workspaces of which rows may lie there although they live elsewhere, in their order (OPS-31). */
export async function findElsewhere(home: Queryable): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await home<{ cell: string; ids: string[] }[]>`
    select c.cell, array_agg(distinct m.workspace_id order by m.workspace_id) as ids
    from workspace_moves m
    cross join lateral unnest(array[m.from_cell, m.to_cell]) as c (cell)
    join placed_workspaces p on p.workspace_id = m.workspace_id and p.cell <> c.cell
    group by c.cell`
  return new Map(rows.map(({ cell, ids }) => [cell, ids]))
}

/** Whether a workspace is on its way from or to a cell. */
export async function isAnyMoving(home: Queryable, cell: string): Promise<boolean> {
  const rows = await home`
    select from workspace_moves where ended_at is null and ${cell} in (from_cell, to_cell) limit 1`
  return rows.length > 0
}
