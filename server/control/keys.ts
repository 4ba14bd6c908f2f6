import type { ControlKey, UpdateKeyCommand } from '#contract/models'
import type { Sql } from '../store/connection.ts'
import { createKey, type Key, type KeySettings, revokeKey, updateKey } from '../store/keys.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { ControlError, type ControlHandler } from './handlers.ts'

/** Makes a key with any settings; its plaintext is in the answer and nowhere else. */
export function creatingKeys(sql: Sql): ControlHandler<'createKey'> {
  return async (command) => {
    const { workspace_id: workspaceId, revoked = false } = command
    if (!(await findWorkspace(sql, workspaceId)))
      throw new ControlError(`There is no workspace ${workspaceId}.`)
    const { key, plaintext } = await createKey(sql, workspaceId, { name: 'test', ...settingsOf(command) })
    const current = revoked ? await revokeKey(sql, key.id) : key
    return { ...toControlKey(current!), api_key: plaintext }
  }
}

/** Changes what the command names. */
export function updatingKeys(sql: Sql): ControlHandler<'updateKey'> {
  return async (command) =>
    toControlKey(found(await updateKey(sql, command.id, settingsOf(command)), command.id))
}

/** Revokes a key for good. */
export function revokingKeys(sql: Sql): ControlHandler<'revokeKey'> {
  return async ({ id }) => toControlKey(found(await revokeKey(sql, id), id))
}

/** A key as the control service tells of it. */
export function toControlKey(key: Key): ControlKey {
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    state: key.state,
    spent_micros: Number(key.spentMicros),
    revoked_at: key.revokedAt?.toISOString() ?? null,
    name: key.name,
    prefix: key.prefix,
    model_scope: key.modelScope && [...key.modelScope],
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    spend_limit_micros: key.spendLimitMicros === null ? null : Number(key.spendLimitMicros),
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  }
}

function found(key: Key | undefined, id: string): Key {
  if (!key) throw new ControlError(`There is no key ${id}.`)
  return key
}

type Settings = Omit<UpdateKeyCommand, 'id'>

function settingsOf(command: Settings): KeySettings {
  const { name, model_scope, requests_per_minute, tokens_per_minute, spend_limit_micros, expires_at } =
    command
  return {
    ...(name !== undefined && { name }),
    ...(model_scope !== undefined && { modelScope: model_scope }),
    ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
    ...(tokens_per_minute !== undefined && { tokensPerMinute: tokens_per_minute }),
    ...(spend_limit_micros !== undefined && {
      spendLimitMicros: spend_limit_micros === null ? null : BigInt(spend_limit_micros),
    }),
    ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : new Date(expires_at) }),
  }
}
