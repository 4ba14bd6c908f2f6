import type { Queryable, Sql } from '../store/connection.ts'
import type { WorkspaceMove } from '../store/moves.ts'
import { inTransaction } from '../store/transaction.ts'
import { MoveError } from './move-error.ts'
import { namesOf } from './names.ts'

/**
 * Throws `MoveError` where rows of a workspace lie already that did not come by this move, or months are gone that its
 * rows would belong to (OPS-31). `oldest` is when its first row was booked.
 */
export async function requireRoom(target: Queryable, move: Arrival, oldest: Date | null): Promise<void> {
  const { id, workspaceId, to } = move
  if (id !== undefined && (await findSubscription(target, { id }))) return
  const [row] = await target<{ isThere: boolean; isGone: boolean }[]>`
    select
      exists (select from workspaces where id = ${workspaceId})
      or exists (select from ledger where workspace_id = ${workspaceId})
      or exists (select from generations where workspace_id = ${workspaceId}) as "isThere",
      coalesce((select max(ends_at) from book_months where detached_at is not null) > ${oldest}, false) as "isGone"`
  if (row!.isThere) {
    throw new MoveError(
      `Rows of ${workspaceId} lie in the cell ${to}, where it was before or was to go: it cannot come there.`,
    )
  }
  if (row!.isGone)
    throw new MoveError(`${workspaceId} has rows of months that were detached from the cell ${to}.`)
}

/** Which workspace goes where; its move has an id once it has begun. */
type Arrival = Pick<WorkspaceMove, 'workspaceId' | 'to'> & { readonly id?: string }

/** Closes the workspace before its first row comes, so that it is written to by its replication alone. */
export async function expectRows(target: Queryable, { workspaceId }: WorkspaceMove): Promise<void> {
  await target`insert into closed_workspaces (workspace_id) values (${workspaceId}) on conflict do nothing`
}

/** Whether the copying has begun: from then on it depends on the log that the other server keeps for it. */
export async function isSubscribed(target: Queryable, move: WorkspaceMove): Promise<boolean> {
  return (await findSubscription(target, move)) !== undefined
}

/** Has the server copy the workspace from the other one, whose address is `url`, and then follow what changes there. */
export async function subscribe(target: Queryable, move: WorkspaceMove, url: string): Promise<void> {
  const { subscription, slot, changes, additions } = namesOf(move)
  if (await findSubscription(target, move)) return
  // The slot is there already: whoever makes it along with the subscription cannot be resumed, nor have one server do both.
  const [row] = await target<{ statement: string }[]>`
    select format(
      'create subscription %I connection %L publication %I, %I with (slot_name = %L, create_slot = false, copy_data = true)',
      ${subscription}::text, ${url}::text, ${changes}::text, ${additions}::text, ${slot}::text
    ) as statement`
  await target.unsafe(row!.statement)
}

/** Goes on where the server has been told to stop. */
export async function follow(target: Sql, move: WorkspaceMove): Promise<void> {
  await target`alter subscription ${target(namesOf(move).subscription)} enable`
}

/** How far the server is: whether all tables are copied, and how often it has failed. */
export async function readProgress(target: Queryable, move: WorkspaceMove): Promise<Progress> {
  const [row] = await target<Progress[]>`
    select
      (select coalesce(bool_and(r.srsubstate = 'r'), false) from pg_subscription_rel r where r.srsubid = s.oid) as "isCopied",
      (
        select coalesce(sum(t.apply_error_count + t.sync_error_count), 0)::integer
        from pg_stat_subscription_stats t where t.subid = s.oid
      ) as failures
    from pg_subscription s where s.subname = ${namesOf(move).subscription}`
  if (!row) throw new MoveError(`The cell ${move.to} does not follow the cell ${move.from} any more.`)
  return row
}

/** See `readProgress`. */
export interface Progress {
  readonly isCopied: boolean
  readonly failures: number
}

/** Ends the copying for good. Resolves the slots at the other server that it may leave behind there. */
export async function unsubscribe(target: Sql, move: WorkspaceMove): Promise<string[]> {
  const { subscription } = namesOf(move)
  const oid = await findSubscription(target, move)
  if (oid === undefined) return []
  // It lets go of its slot first: the other server may be away, and is asked by whoever moves.
  await target`alter subscription ${target(subscription)} disable`
  await target`alter subscription ${target(subscription)} set (slot_name = none)`
  const tables = await target<{ slot: string }[]>`
    select format('pg_%s_sync_%s_%s', r.srsubid, r.srrelid, c.system_identifier) as slot
    from pg_subscription_rel r cross join pg_control_system() c where r.srsubid = ${oid}`
  await target`drop subscription ${target(subscription)}`
  return tables.map(({ slot }) => slot)
}

/** Opens the workspace, with its keys, where all of it has come. Nobody is sent there yet. */
export async function admit(target: Queryable, { workspaceId }: WorkspaceMove): Promise<void> {
  await inTransaction(target, async (transaction) => {
    await transaction`delete from closed_workspaces where workspace_id = ${workspaceId}`
    await transaction`
      with brought as (
        delete from withdrawn_keys where workspace_id = ${workspaceId} returning workspace_id, key_hash, key_id
      )
      insert into key_directory (workspace_id, key_hash, key_id)
      select workspace_id, key_hash, key_id from brought on conflict do nothing`
  })
}

async function findSubscription(
  target: Queryable,
  move: Pick<WorkspaceMove, 'id'>,
): Promise<number | undefined> {
  const [row] = await target<{ oid: number }[]>`
    select oid from pg_subscription where subname = ${namesOf(move).subscription}
      and subdbid = (select oid from pg_database where datname = current_database())`
  return row?.oid
}
