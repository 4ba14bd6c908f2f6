/** Derived by the database's clock, never stored: revoked comes before expired (KEY-21). */
export type KeyState = 'active' | 'revoked' | 'expired'

/** A key's record; the key itself is not in it. */
export interface Key {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  /** The first 12 characters, for display. */
  readonly prefix: string
  readonly state: KeyState
  /** Null: every model. */
  readonly modelScope: readonly string[] | null
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  readonly spendLimitMicros: bigint | null
  readonly spentMicros: bigint
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** What may be set about a key; null takes a limit away, absence leaves it. */
export interface KeySettings {
  readonly name?: string
  readonly modelScope?: readonly string[] | null
  readonly requestsPerMinute?: number | null
  readonly tokensPerMinute?: number | null
  readonly spendLimitMicros?: bigint | null
  readonly expiresAt?: Date | null
}

/** A key as the database answers it, with its state. */
export interface KeyRow {
  readonly id: string
  readonly workspace_id: string
  readonly name: string
  readonly prefix: string
  readonly state: KeyState
  readonly model_scope: string[] | null
  readonly requests_per_minute: number | null
  readonly tokens_per_minute: bigint | null
  readonly spend_limit_micros: bigint | null
  readonly spent_micros: bigint
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly revoked_at: Date | null
}

/** Reads a row. */
export function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    prefix: row.prefix,
    state: row.state,
    modelScope: row.model_scope,
    requestsPerMinute: row.requests_per_minute,
    tokensPerMinute: row.tokens_per_minute === null ? null : Number(row.tokens_per_minute),
    spendLimitMicros: row.spend_limit_micros,
    spentMicros: row.spent_micros,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }
}

const columns = {
  name: 'name',
  modelScope: 'model_scope',
  requestsPerMinute: 'requests_per_minute',
  tokensPerMinute: 'tokens_per_minute',
  spendLimitMicros: 'spend_limit_micros',
  expiresAt: 'expires_at',
} as const satisfies Record<keyof KeySettings, string>

/** Names the columns of the settings that are there. */
export function toColumns(settings: KeySettings): Record<string, KeySettings[keyof KeySettings]> {
  const named = Object.entries(settings) as [keyof KeySettings, KeySettings[keyof KeySettings]][]
  return Object.fromEntries(named.filter(([, value]) => value !== undefined).map(([k, v]) => [columns[k], v]))
}
