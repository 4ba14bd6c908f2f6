import { HOME } from '../store/cells.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import type { WorkspaceMove } from '../store/moves.ts'
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

/** Has the server tell of the workspace's rows, and of no others, whoever asks for this move. */
export async function publish(source: Sql, move: WorkspaceMove): Promise<void> {
  const { changes, additions } = namesOf(move)
  await source.begin(async (transaction) => {
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

/** From then on admission finds none of the workspace's keys. What it has found before ends in its own time. */
export async function withdraw(source: Sql, move: WorkspaceMove): Promise<void> {
  await source.begin((transaction) => withdrawKeys(transaction, move))
}

async function withdrawKeys(source: Queryable, { workspaceId, from }: WorkspaceMove): Promise<void> {
  // At home this was the directory, too.
  if (from === HOME) {
    await source`
      insert into placed_keys (key_hash, workspace_id, key_id)
      select key_hash, workspace_id, key_id from key_directory where workspace_id = ${workspaceId}
      on conflict do nothing`
  }
  await source`
    with withdrawn as (
      delete from key_directory where workspace_id = ${workspaceId} returning workspace_id, key_hash, key_id
    )
    insert into withdrawn_keys (workspace_id, key_hash, key_id)
    select workspace_id, key_hash, key_id from withdrawn on conflict do nothing`
}

/**
 * Closes the workspace here once nothing of it runs: from then on no statement changes anything of it, whoever sends it,
 * and whatever did is committed. Resolves how many of its holds are open; with any, nothing is closed.
 */
export async function close(source: Sql, move: WorkspaceMove): Promise<number> {
  const { workspaceId } = move
  return await source.begin(async (transaction) => {
    // What is caught up with must be what stays.
    await transaction`select set_config('synchronous_commit', 'on', true)`
    await transaction`select from workspaces where id = ${workspaceId} for update`
    await transaction`select from api_keys where workspace_id = ${workspaceId} order by id for update`
    const [row] = await transaction<{ open: number }[]>`
      select count(*)::integer as open from holds where workspace_id = ${workspaceId}`
    if (row!.open > 0) return row!.open
    // One that was made meanwhile.
    await withdrawKeys(transaction, move)
    await requireMovable(transaction, move)
    await transaction`insert into closed_workspaces (workspace_id) values (${workspaceId}) on conflict do nothing`
    return 0
  })
}

/** Serves the workspace here again. */
export async function reopen(source: Sql, { workspaceId }: WorkspaceMove): Promise<void> {
  await source.begin(async (transaction) => {
    await transaction`delete from closed_workspaces where workspace_id = ${workspaceId}`
    await transaction`
      with restored as (
        delete from withdrawn_keys where workspace_id = ${workspaceId} returning workspace_id, key_hash, key_id
      )
      insert into key_directory (workspace_id, key_hash, key_id)
      select workspace_id, key_hash, key_id from restored on conflict do nothing`
  })
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

/** The keys are the other cell's now. */
export async function forgetKeys(source: Queryable, { workspaceId }: WorkspaceMove): Promise<void> {
  await source`delete from withdrawn_keys where workspace_id = ${workspaceId}`
}
