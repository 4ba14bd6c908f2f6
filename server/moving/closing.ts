import { HOME } from '../store/cells.ts'
import type { Queryable } from '../store/connection.ts'
import type { WorkspaceMove } from '../store/moves.ts'
import { inTransaction } from '../store/transaction.ts'
import { requireMovable } from './movable.ts'

/** From then on admission finds none of the workspace's keys. What it has found before ends in its own time. */
export async function withdraw(source: Queryable, move: WorkspaceMove): Promise<void> {
  await inTransaction(source, (transaction) => withdrawKeys(transaction, move))
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
 * and whatever did is committed. Resolves false where a hold of it is open; then nothing is closed.
 */
export async function close(source: Queryable, move: WorkspaceMove): Promise<boolean> {
  const { workspaceId } = move
  // Asked before anything is locked, so that what runs ends undisturbed.
  if (await isHeld(source, workspaceId)) return false
  return await inTransaction(source, async (transaction) => {
    // What is caught up with must be what stays.
    await transaction`select set_config('synchronous_commit', 'on', true)`
    await transaction`select from workspaces where id = ${workspaceId} for update`
    await transaction`select from api_keys where workspace_id = ${workspaceId} order by id for update`
    if (await isHeld(transaction, workspaceId)) return false
    // One that was made meanwhile.
    await withdrawKeys(transaction, move)
    await requireMovable(transaction, move)
    await transaction`insert into closed_workspaces (workspace_id) values (${workspaceId}) on conflict do nothing`
    return true
  })
}

async function isHeld(source: Queryable, workspaceId: string): Promise<boolean> {
  const holds = await source`select from holds where workspace_id = ${workspaceId} limit 1`
  return holds.length > 0
}

/** Serves the workspace here again. */
export async function reopen(source: Queryable, { workspaceId }: WorkspaceMove): Promise<void> {
  await inTransaction(source, async (transaction) => {
    await transaction`delete from closed_workspaces where workspace_id = ${workspaceId}`
    await transaction`
      with restored as (
        delete from withdrawn_keys where workspace_id = ${workspaceId} returning workspace_id, key_hash, key_id
      )
      insert into key_directory (workspace_id, key_hash, key_id)
      select workspace_id, key_hash, key_id from restored on conflict do nothing`
  })
}

/** The keys are the other cell's now. */
export async function forgetKeys(source: Queryable, { workspaceId }: WorkspaceMove): Promise<void> {
  await source`delete from withdrawn_keys where workspace_id = ${workspaceId}`
}
