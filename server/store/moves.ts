import type { Queryable, Sql } from './connection.ts'
import { createId } from './ids.ts'
import { inTransaction } from './transaction.ts'

/** How far a workspace has come on its way from one cell to another. */
export type MoveState =
  /** It is served where it was. */
  | 'copying'
  /** No router serves it: the one cell lets what runs end, and the other one catches up. */
  | 'paused'
  /** Its requests took too long to end; it is about to be served where it was. */
  | 'reopening'
  /** The other cell has all of it, and nobody may change it; from here there is no way back. */
  | 'copied'
  /** It is served where it has come to. */
  | 'switched'
  | 'done'
  /** It was given up, and is about to be served where it was. */
  | 'cancelling'
  | 'cancelled'

/** One workspace on its way. */
export interface WorkspaceMove {
  readonly id: string
  readonly workspaceId: string
  readonly from: string
  readonly to: string
  readonly state: MoveState
  /**
   * The transaction that brought it into this state: a workspace may be paused, go on where it was, and be paused anew, and
   * who knows of the first pause knows nothing of the second.
   */
  readonly since: string
}

/** The move of a workspace that has not ended. */
export async function findOpenMove(home: Queryable, workspaceId: string): Promise<WorkspaceMove | undefined> {
  const [row] = await home<WorkspaceMove[]>`
    select id, workspace_id as "workspaceId", from_cell as "from", to_cell as "to", state,
      xmin::text as since
    from workspace_moves where workspace_id = ${workspaceId} and ended_at is null`
  return row
}

/** Writes down that a workspace sets out. Throws where it has already. */
export async function beginMove(
  home: Queryable,
  { workspaceId, from, to }: Pick<WorkspaceMove, 'workspaceId' | 'from' | 'to'>,
): Promise<WorkspaceMove> {
  const move = { id: createId('mov_'), workspaceId, from, to, state: 'copying' } as const
  const [row] = await home<Pick<WorkspaceMove, 'since'>[]>`
    insert into workspace_moves (id, workspace_id, from_cell, to_cell, state)
    values (${move.id}, ${workspaceId}, ${from}, ${to}, 'copying') returning xmin::text as since`
  return { ...move, ...row! }
}

/** Takes a move on. Throws where it is not where it is thought to be: somebody else has taken it on meanwhile. */
export async function takeOn(home: Queryable, move: WorkspaceMove, state: MoveState): Promise<WorkspaceMove> {
  const [row] = await home<Pick<WorkspaceMove, 'since'>[]>`
    update workspace_moves set state = ${state},
      ended_at = case when ${state} in ('done', 'cancelled') then clock_timestamp() end
    where id = ${move.id} and state = ${move.state} and xmin::text = ${move.since} returning xmin::text as since`
  if (!row) throw takenOn(move)
  return { ...move, state, ...row }
}

/**
 * Does what belongs to the state that a move is thought to be in, while nobody can take it on from there: whoever moves
 * may have lost the session by which it is alone, and not know yet. `act` is given the transaction that holds the move's
 * row, for what is to be done at home. Throws where somebody else has taken it on.
 */
export async function whileIn<Result>(
  home: Sql,
  move: WorkspaceMove,
  act: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  let acting: Promise<Result> | undefined
  try {
    const { result } = await inTransaction(home, async (transaction) => {
      await requireIn(transaction, move, true)
      acting = act(transaction)
      return { result: await acting }
    })
    return result
  } finally {
    // The transaction may end before: what is done next must not overtake it.
    await Promise.allSettled([acting])
  }
}

/** Throws where somebody else has taken a move on meanwhile; whoever holds its row keeps others from that. */
export async function requireIn(home: Queryable, move: WorkspaceMove, isHeld = false): Promise<void> {
  const [row] = await home`
    select from workspace_moves where id = ${move.id} and state = ${move.state} and xmin::text = ${move.since}
    ${isHeld ? home`for share` : home``}`
  if (!row) throw takenOn(move)
}

function takenOn({ workspaceId, state }: WorkspaceMove): Error {
  return new Error(`The move of ${workspaceId} is not ${state} any more, or is so anew.`)
}

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
