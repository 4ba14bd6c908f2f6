import { limits } from '#contract/limits'
import { createBatcher } from '../batch.ts'
import { columnsOf } from './columns.ts'
import type { Sql } from './connection.ts'
import type { KeyState } from './keys.ts'
import { outlast, within } from './retry.ts'

/** What a route needs to know of the key that a request came with. */
export interface FoundKey {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly state: KeyState
  /** Null: every model. */
  readonly modelScope: readonly string[] | null
}

/** Looks keys up by the SHA-256 of their plaintext, in hex. */
export interface KeyFinder {
  find(keyHash: string): Promise<FoundKey | undefined>
}

/** Limit of one statement, ours. */
const MAX_ITEMS = 512

/** The look-up of the routes that admit nothing; requests that arrive together share one statement. */
export function createKeyFinder(sql: Sql): KeyFinder {
  const find = (hashes: readonly string[]) => outlast(() => findKeys(sql, hashes))
  const batcher = createBatcher(find, { maxItems: MAX_ITEMS })
  return { find: (hash) => within(batcher.add(hash), limits.databaseOutageMs) }
}

async function findKeys(sql: Sql, hashes: readonly string[]): Promise<(FoundKey | undefined)[]> {
  const { text } = columnsOf(sql, hashes)
  const rows = await sql<Row[]>`
    select wanted.position::integer, k.id, k.workspace_id, k.name, k.model_scope,
      key_state(k.revoked_at, k.expires_at) as state
    from unnest(${text((hash) => hash)}::text[]) with ordinality as wanted (hash, position)
    join key_directory d on d.key_hash = decode(wanted.hash, 'hex')
    join api_keys k on k.workspace_id = d.workspace_id and k.id = d.key_id`
  const found = new Map(rows.map((row) => [row.position - 1, toFoundKey(row)]))
  return hashes.map((_, index) => found.get(index))
}

interface Row {
  readonly position: number
  readonly id: string
  readonly workspace_id: string
  readonly name: string
  readonly state: KeyState
  readonly model_scope: string[] | null
}

function toFoundKey(row: Row): FoundKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    state: row.state,
    modelScope: row.model_scope,
  }
}
