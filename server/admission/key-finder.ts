import { limits } from '#contract/limits'
import { createBatcher } from '../batch.ts'
import { type KeyRates, type KeyRatesRow, toKeyRates } from '../limits/key-rates.ts'
import { columnsOf } from '../store/columns.ts'
import type { Sql } from '../store/connection.ts'
import type { KeyState } from '../store/keys.ts'
import { outlast, within } from '../store/retry.ts'

/** What can be said of a key before it is known what it asks for. */
export interface FoundKey {
  readonly state: KeyState
  /** Null: every model. */
  readonly modelScope: readonly string[] | null
  /** Whose it is, and what its buckets hold. */
  readonly rates: KeyRates
  /** Of its workspace; what running requests hold is not taken off. */
  readonly balanceMicros: bigint
  /** Whether the key has used up its spend limit; what running requests hold is not counted. */
  readonly isSpent: boolean
}

/** Looks keys up by the SHA-256 of their plaintext, in hex. */
export type FindKey = (keyHash: string) => Promise<FoundKey | undefined>

/** Limit of one statement, ours. */
const MAX_ITEMS = 512

/** Requests that arrive together share one statement. It locks nothing: the gate judges anew. */
export function createKeyFinder(sql: Sql): FindKey {
  const find = (hashes: readonly string[]) => outlast(() => findKeys(sql, hashes))
  const batcher = createBatcher(find, { maxItems: MAX_ITEMS })
  return (keyHash) => within(batcher.add(keyHash), limits.databaseOutageMs)
}

async function findKeys(sql: Sql, hashes: readonly string[]): Promise<(FoundKey | undefined)[]> {
  const { text } = columnsOf(sql, hashes)
  const rows = await sql<Row[]>`
    select wanted.position::integer, k.id as key_id, k.workspace_id, k.requests_per_minute, k.tokens_per_minute,
      w.requests_per_minute as workspace_requests_per_minute, w.tokens_per_minute as workspace_tokens_per_minute,
      k.model_scope, key_state(k.revoked_at, k.expires_at) as state, w.balance_micros,
      coalesce(k.spent_micros >= k.spend_limit_micros, false) as is_spent
    from unnest(${text((hash) => hash)}::text[]) with ordinality as wanted (hash, position)
    join key_directory d on d.key_hash = decode(wanted.hash, 'hex')
    join api_keys k on k.workspace_id = d.workspace_id and k.id = d.key_id
    join workspaces w on w.id = d.workspace_id`
  const found = new Map(rows.map((row) => [row.position - 1, toFoundKey(row)]))
  return hashes.map((_, index) => found.get(index))
}

interface Row extends KeyRatesRow {
  readonly position: number
  readonly state: KeyState
  readonly model_scope: string[] | null
  readonly balance_micros: bigint
  readonly is_spent: boolean
}

function toFoundKey(row: Row): FoundKey {
  return {
    state: row.state,
    modelScope: row.model_scope,
    rates: toKeyRates(row),
    balanceMicros: row.balance_micros,
    isSpent: row.is_spent,
  }
}
