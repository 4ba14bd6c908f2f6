import { hash, randomBytes } from 'node:crypto'
import { limits } from '#contract/limits'
import type { Queryable } from './connection.ts'
import type { PlacedKey } from './directory.ts'
import { createId } from './ids.ts'
import { type Key, type KeyRow, type KeySettings, toColumns, toKey } from './key-record.ts'
import { inTransaction } from './transaction.ts'

export type { Key, KeySettings, KeyState } from './key-record.ts'

const KEY_BYTES = 32

/**
 * Makes a key. Its plaintext is here and nowhere else: only the hash is stored (KEY-02). `place` is told of it before it
 * is there for good, for another database that has to know of it.
 */
export async function createKey(
  sql: Queryable,
  workspaceId: string,
  settings: KeySettings & { readonly name: string },
  place?: (key: PlacedKey) => Promise<void>,
): Promise<{ readonly key: Key; readonly plaintext: string }> {
  const plaintext = `sk-tee-v1-${randomBytes(KEY_BYTES).toString('base64url')}`
  const record = {
    workspace_id: workspaceId,
    id: createId('key_'),
    prefix: plaintext.slice(0, limits.keyPrefixCharacters),
    ...toColumns(settings),
  }
  const key = await inTransaction(sql, async (transaction) => {
    const [row] = await transaction<KeyRow[]>`
      insert into api_keys ${transaction(record)} returning *, key_state(revoked_at, expires_at) as state`
    const keyHash = hash('sha256', plaintext, 'buffer')
    await transaction`
      insert into key_directory (key_hash, workspace_id, key_id)
      values (${keyHash}, ${workspaceId}, ${record.id})`
    await place?.({ keyHash, keyId: record.id, workspaceId })
    return toKey(row!)
  })
  return { key, plaintext }
}

/**
 * As `createKey`; undefined when the workspace has as many keys as it may that are not revoked (CONS-61). Of two at once for the last place, one has it.
 */
export function createKeyWithin(
  sql: Queryable,
  workspaceId: string,
  settings: KeySettings & { readonly name: string },
): Promise<{ readonly key: Key; readonly plaintext: string } | undefined> {
  return inTransaction(sql, async (transaction) => {
    // Not the workspace's row, which every settlement needs.
    await transaction`select pg_advisory_xact_lock(hashtextextended(${`keys of ${workspaceId}`}, 0))`
    const [kept] = await transaction<{ count: number }[]>`
      select count(*)::integer as count from api_keys where workspace_id = ${workspaceId} and revoked_at is null`
    return kept!.count < limits.maxKeys ? createKey(transaction, workspaceId, settings) : undefined
  })
}

/** A workspace's keys, oldest first; revoked and expired ones too. */
export async function listKeys(sql: Queryable, workspaceId: string): Promise<Key[]> {
  const rows = await sql<KeyRow[]>`
    select *, key_state(revoked_at, expires_at) as state
    from api_keys where workspace_id = ${workspaceId} order by id`
  return rows.map(toKey)
}

/** Some of a workspace's keys, the newest first, behind the one that is named; revoked and expired ones too. */
export async function listKeyPage(
  sql: Queryable,
  workspaceId: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<Key[]> {
  const rows = await sql<KeyRow[]>`
    select *, key_state(revoked_at, expires_at) as state
    from api_keys where workspace_id = ${workspaceId} ${after === undefined ? sql`` : sql`and id < ${after}`}
    order by id desc limit ${limit}`
  return rows.map(toKey)
}

/** What a workspace calls some of its keys. */
export async function nameKeys(
  sql: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from api_keys where workspace_id = ${workspaceId} and id = any (${[...ids]}::text[])`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** One key by its id alone, as an operator names it. */
export async function findKeyById(sql: Queryable, keyId: string): Promise<Key | undefined> {
  const [row] = await sql<KeyRow[]>`
    select *, key_state(revoked_at, expires_at) as state from api_keys where id = ${keyId}`
  return row && toKey(row)
}

/** Makes a key unusable for good, from the next request on; undefined if there is none. Again keeps the first time. */
export async function revokeKey(sql: Queryable, keyId: string): Promise<Key | undefined> {
  const [row] = await sql<KeyRow[]>`
    update api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()) where id = ${keyId}
    returning *, key_state(revoked_at, expires_at) as state`
  return row && toKey(row)
}

/** Changes what is named in `settings`; an expiry in the future revives an expired key, nothing a revoked one. */
export async function updateKey(
  sql: Queryable,
  keyId: string,
  settings: KeySettings,
): Promise<Key | undefined> {
  const changes = toColumns(settings)
  if (Object.keys(changes).length === 0) return findKeyById(sql, keyId)
  const [row] = await sql<KeyRow[]>`
    update api_keys set ${sql(changes)} where id = ${keyId}
    returning *, key_state(revoked_at, expires_at) as state`
  return row && toKey(row)
}

/** As `revokeKey`, of one workspace's keys alone. */
export async function revokeKeyOf(
  sql: Queryable,
  workspaceId: string,
  keyId: string,
): Promise<Key | undefined> {
  return (await isKeyOf(sql, workspaceId, keyId)) ? revokeKey(sql, keyId) : undefined
}

/** As `updateKey`, of one workspace's keys alone. A revoked one stays as it is, and is answered so. */
export async function changeKeyOf(
  sql: Queryable,
  workspaceId: string,
  keyId: string,
  settings: KeySettings,
): Promise<Key | undefined> {
  return inTransaction(sql, async (transaction) => {
    const [row] = await transaction<KeyRow[]>`
      select *, key_state(revoked_at, expires_at) as state from api_keys
      where workspace_id = ${workspaceId} and id = ${keyId} for no key update`
    if (!row || row.state === 'revoked') return row && toKey(row)
    return updateKey(transaction, keyId, settings)
  })
}

/** A key never goes, and never moves to another workspace. */
async function isKeyOf(sql: Queryable, workspaceId: string, keyId: string): Promise<boolean> {
  const rows = await sql`select from api_keys where workspace_id = ${workspaceId} and id = ${keyId}`
  return rows.length > 0
}
