import type { Queryable } from '../store/connection.ts'
import type { WorkspaceMove } from '../store/moves.ts'
import { MoveError } from './move-error.ts'

/** Which workspace leaves which cell. */
type Departure = Pick<WorkspaceMove, 'workspaceId' | 'from'>

/**
 * Throws `MoveError` where a workspace cannot leave its cell: the server keeps no logical log, or a month of it was
 * exported or detached (OPS-31).
 */
export async function requireMovable(source: Queryable, { workspaceId, from }: Departure): Promise<void> {
  const [row] = await source<{ log: string; month: string | null; isCarried: boolean }[]>`
    select current_setting('wal_level') as log,
      exists (select from carried_balances where workspace_id = ${workspaceId}) as "isCarried",
      (
        select m.month from book_months m
        where m.exported_at is not null and m.detached_at is null and exists (
          select from ledger l
          where l.workspace_id = ${workspaceId} and l.created_at >= m.begins_at and l.created_at < m.ends_at
        )
        order by m.ends_at limit 1
      ) as month`
  const { log, month, isCarried } = row!
  if (log !== 'logical') {
    throw new MoveError(`The server of the cell ${from} has wal_level ${log}, and this takes logical.`)
  }
  if (isCarried)
    throw new MoveError(`${workspaceId} has rows in months that were detached from the cell ${from}.`)
  if (month !== null)
    throw new MoveError(`${workspaceId} has rows in ${month}, which was exported from the cell ${from}.`)
}

/** When the workspace's first row was booked, and its last one; null where there is none. */
export async function findOldest(source: Queryable, { workspaceId }: Departure): Promise<Date | null> {
  const [row] = await source<{ at: Date }[]>`
    select created_at as at from ledger where workspace_id = ${workspaceId} order by number limit 1`
  return row?.at ?? null
}

/** See `findOldest`: whatever is booked from now on has this time or a later one. */
export async function findNewest(source: Queryable, { workspaceId }: WorkspaceMove): Promise<Date | null> {
  const [row] = await source<{ at: Date | null }[]>`
    select last_entry_at as at from workspaces where id = ${workspaceId}`
  return row?.at ?? null
}
