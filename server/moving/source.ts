import type { Queryable } from '../store/connection.ts'
import type { WorkspaceMove } from '../store/moves.ts'
import { inTransaction } from '../store/transaction.ts'
import { MoveError } from './move-error.ts'
import { namesOf } from './names.ts'

/** What is replicated: the tables, and which of their columns names the workspace. Holds are not: none is open then. */
const changing = {
  workspaces: 'id',
  api_keys: 'workspace_id',
  usage_totals: 'workspace_id',
  withdrawn_keys: 'workspace_id',
}
const growing = {
  generations: 'workspace_id',
  ledger: 'workspace_id',
  withheld_generations: 'workspace_id',
  workspace_limit_changes: 'workspace_id',
}

/** Has the server tell of the workspace's rows, and of no others, whoever asks for this move. */
export async function publish(source: Queryable, move: WorkspaceMove): Promise<void> {
  const { changes, additions } = namesOf(move)
  await inTransaction(source, async (transaction) => {
    for (const [name, tables, kinds] of [
      [changes, changing, 'insert, update, delete'],
      [additions, growing, 'insert'],
    ] as const) {
      const [known] = await transaction`select from pg_publication where pubname = ${name}`
      if (known) continue
      const filtered = Object.entries(tables).map(([table, column]) => [table, column, move.workspaceId])
      const [row] = await transaction<{ statement: string }[]>`
        select format(
          'create publication %I for table %s with (publish = %L, publish_via_partition_root = true)', ${name}::text,
          (
            select string_agg(format('%I where (%I = %L)', one ->> 0, one ->> 1, one ->> 2), ', ')
            from jsonb_array_elements(${transaction.json(filtered)}::jsonb) as one
          ),
          ${kinds}::text
        ) as statement`
      await transaction.unsafe(row!.statement)
    }
  })
}

/** Has the server keep its log until the other cell has read it. Behind `publish`, or the log would not know of that. */
export async function keepLog(source: Queryable, move: WorkspaceMove): Promise<void> {
  const { slot } = namesOf(move)
  const [known] = await source`select from pg_replication_slots where slot_name = ${slot}`
  if (!known) await source`select from pg_create_logical_replication_slot(${slot}, 'pgoutput')`
}

/** A place in the server's log, before which all lies that is committed by now. */
export async function findPlace(source: Queryable): Promise<string> {
  const [row] = await source<{ place: string }[]>`select pg_current_wal_flush_lsn()::text as place`
  return row!.place
}

/** Whether the other cell has all up to there on its disk. Throws `MoveError` where the log is not kept any more. */
export async function isRead(source: Queryable, move: WorkspaceMove, place: string): Promise<boolean> {
  const [row] = await source<{ isRead: boolean; isLost: boolean }[]>`
    select coalesce(confirmed_flush_lsn >= ${place}::pg_lsn, false) as "isRead", wal_status = 'lost' as "isLost"
    from pg_replication_slots where slot_name = ${namesOf(move).slot}`
  if (!row || row.isLost) {
    throw new MoveError(`The cell ${move.from} has not kept its log for this move: give it up with --cancel.`)
  }
  return row.isRead
}

/** Forgets the move, but for what was closed. `others` are further slots of it. */
export async function tidySource(
  source: Queryable,
  move: WorkspaceMove,
  others: readonly string[] = [],
): Promise<boolean> {
  const { changes, additions, slot } = namesOf(move)
  for (const name of [changes, additions]) await source`drop publication if exists ${source(name)}`
  const slots = [slot, ...others]
  await source`
    select pg_drop_replication_slot(slot_name) from pg_replication_slots
    where slot_name = any (${slots}::text[]) and not active`
  const left = await source`select from pg_replication_slots where slot_name = any (${slots}::text[])`
  return left.length === 0
}
