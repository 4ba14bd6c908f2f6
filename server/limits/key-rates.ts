/** A key as its buckets know it: whose it is, and what a minute allows. */
export interface KeyRates {
  readonly keyId: string
  readonly workspaceId: string
  /** Null: as many as its workspace. */
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  /** Null: the deployment's default. */
  readonly workspaceRequestsPerMinute: number | null
  readonly workspaceTokensPerMinute: number | null
}

/** The same as columns. */
export interface KeyRatesRow {
  readonly key_id: string
  readonly workspace_id: string
  readonly requests_per_minute: number | null
  readonly tokens_per_minute: bigint | null
  readonly workspace_requests_per_minute: number | null
  readonly workspace_tokens_per_minute: bigint | null
}

/** Reads a row. */
export function toKeyRates(row: KeyRatesRow): KeyRates {
  const { tokens_per_minute: tokens, workspace_tokens_per_minute: workspaceTokens } = row
  return {
    keyId: row.key_id,
    workspaceId: row.workspace_id,
    requestsPerMinute: row.requests_per_minute,
    tokensPerMinute: tokens === null ? null : Number(tokens),
    workspaceRequestsPerMinute: row.workspace_requests_per_minute,
    workspaceTokensPerMinute: workspaceTokens === null ? null : Number(workspaceTokens),
  }
}

/**
 * What this router last heard of its keys' rates, by the hash of the key. It is a guess that admission's statement
 * confirms or corrects, and it says nothing about whether a key is valid.
 */
export interface KnownRates {
  find(keyHash: string): KeyRates | undefined
  learn(keyHash: string, rates: KeyRates): void
  forget(keyHash: string): void
}

/** Keys that are remembered; one that is forgotten costs a second statement when it comes back (ours). */
const MAX_KEYS = 100_000

/** Nothing is known at first. */
export function createKnownRates(maxKeys = MAX_KEYS): KnownRates {
  const known = new Map<string, KeyRates>()
  return {
    find: (keyHash) => known.get(keyHash),
    learn(keyHash, rates) {
      known.delete(keyHash)
      known.set(keyHash, rates)
      if (known.size > maxKeys) known.delete(known.keys().next().value!)
    },
    forget(keyHash) {
      known.delete(keyHash)
    },
  }
}
