import { limits } from '#contract/limits'
import { createBatcher } from '../batch.ts'
import { type KeyLimits, type KeyLimitsRow, toKeyLimits } from '../limits/key-limits.ts'
import { columnsOf } from '../store/columns.ts'
import type { Sql } from '../store/connection.ts'
import type { KeyState } from '../store/keys.ts'
import { outlast, within } from '../store/retry.ts'

/** What can be said of a key before it is known what it asks for. */
export interface Standing {
  readonly limits: KeyLimits
  readonly state: KeyState
  /** Of its workspace; what running requests hold is not taken off. */
  readonly balanceMicros: bigint
  /** Whether the key has used up its spend limit; what running requests hold is not counted. */
  readonly isSpent: boolean
}

/** Looks up how keys stand, by the SHA-256 of their plaintext, in hex. */
export type FindStanding = (keyHash: string) => Promise<Standing | undefined>

/** Limit of one statement, ours. */
const MAX_ITEMS = 512

/** Requests that arrive together share one statement. It locks nothing: admission judges anew. */
export function createStandings(sql: Sql): FindStanding {
  const find = (hashes: readonly string[]) => outlast(() => findStandings(sql, hashes))
  const batcher = createBatcher(find, { maxItems: MAX_ITEMS })
  return (keyHash) => within(batcher.add(keyHash), limits.databaseOutageMs)
}

async function findStandings(sql: Sql, hashes: readonly string[]): Promise<(Standing | undefined)[]> {
  const { text } = columnsOf(sql, hashes)
  const rows = await sql<Row[]>`
    select wanted.position::integer, k.id as key_id, k.workspace_id, k.requests_per_minute, k.tokens_per_minute,
      w.requests_per_minute as workspace_requests_per_minute, w.tokens_per_minute as workspace_tokens_per_minute,
      key_state(k.revoked_at, k.expires_at) as state, w.balance_micros,
      coalesce(k.spent_micros >= k.spend_limit_micros, false) as is_spent
    from unnest(${text((hash) => hash)}::text[]) with ordinality as wanted (hash, position)
    join key_directory d on d.key_hash = decode(wanted.hash, 'hex')
    join api_keys k on k.workspace_id = d.workspace_id and k.id = d.key_id
    join workspaces w on w.id = d.workspace_id`
  const found = new Map(rows.map((row) => [row.position - 1, toStanding(row)]))
  return hashes.map((_, index) => found.get(index))
}

interface Row extends KeyLimitsRow {
  readonly position: number
  readonly state: KeyState
  readonly balance_micros: bigint
  readonly is_spent: boolean
}

function toStanding(row: Row): Standing {
  return {
    limits: toKeyLimits(row),
    state: row.state,
    balanceMicros: row.balance_micros,
    isSpent: row.is_spent,
  }
}
