import type { Queryable } from '../store/connection.ts'
import type { PlacedKey } from '../store/directory.ts'
import { createKey, findKeyById, type Key, type KeySettings, revokeKey, updateKey } from '../store/keys.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { type Actor, audited } from './act.ts'

/**
 * Makes a key for a workspace; undefined when there is no such workspace. Nothing of its text is written down. `place` is
 * as `createKey` has it.
 */
export function create(
  sql: Queryable,
  actor: Actor,
  workspaceId: string,
  settings: KeySettings & { readonly name: string },
  place?: (key: PlacedKey) => Promise<void>,
): Promise<{ readonly key: Key; readonly plaintext: string } | undefined> {
  return audited(
    sql,
    actor,
    async (transaction) =>
      (await findWorkspace(transaction, workspaceId)) && createKey(transaction, workspaceId, settings, place),
    ({ key: { id } }) => {
      return [
        { act: 'key_created', subject: id, details: { workspace_id: workspaceId, ...inWords(settings) } },
      ]
    },
  )
}

/** Changes what is named of a key; undefined when there is none. */
export function update(
  sql: Queryable,
  actor: Actor,
  id: string,
  settings: KeySettings,
): Promise<Key | undefined> {
  return audited(
    sql,
    actor,
    (transaction) => updateKey(transaction, id, settings),
    ({ workspaceId }) => {
      return [
        { act: 'key_updated', subject: id, details: { workspace_id: workspaceId, ...inWords(settings) } },
      ]
    },
  )
}

/** Revokes a key for good; doing it again changes nothing. Undefined when there is none. */
export async function revoke(sql: Queryable, actor: Actor, id: string): Promise<Key | undefined> {
  const revoked = await audited(
    sql,
    actor,
    async (transaction) => {
      // Of two at once the second sees what the first has done.
      await transaction`select from api_keys where id = ${id} for no key update`
      const before = await findKeyById(transaction, id)
      const key = before && (await revokeKey(transaction, id))
      return key && { key, isFirst: before.state !== 'revoked' }
    },
    ({ isFirst, key: { workspaceId } }) =>
      isFirst ? [{ act: 'key_revoked', subject: id, details: { workspace_id: workspaceId } }] : [],
  )
  return revoked?.key
}

/** What was said of a key; a setting that was taken away is `none`. */
function inWords(settings: KeySettings): Record<string, string> {
  const { name, modelScope, requestsPerMinute, tokensPerMinute, spendLimitMicros, expiresAt } = settings
  const said = {
    name,
    model_scope: modelScope?.join(' ') ?? modelScope,
    requests_per_minute: requestsPerMinute,
    tokens_per_minute: tokensPerMinute,
    spend_limit_micros: spendLimitMicros,
    expires_at: expiresAt?.toISOString() ?? expiresAt,
  }
  return Object.fromEntries(
    Object.entries(said)
      .filter(([, value]) => value !== undefined)
      .map(([setting, value]) => [setting, String(value ?? 'none')]),
  )
}
