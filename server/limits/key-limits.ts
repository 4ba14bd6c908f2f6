/** A key as its buckets know it. */
export interface KeyLimits {
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
export interface KeyLimitsRow {
  readonly key_id: string
  readonly workspace_id: string
  readonly requests_per_minute: number | null
  readonly tokens_per_minute: bigint | null
  readonly workspace_requests_per_minute: number | null
  readonly workspace_tokens_per_minute: bigint | null
}

/** Reads a row. */
export function toKeyLimits(row: KeyLimitsRow): KeyLimits {
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
 * What this router last heard of its keys' limits, by the hash of the key. It is a guess that admission's statement
 * confirms or corrects, and it says nothing about whether a key is valid.
 */
export interface KnownLimits {
  find(keyHash: string): KeyLimits | undefined
  learn(keyHash: string, limits: KeyLimits): void
  forget(keyHash: string): void
}

/** Keys that are remembered; one that is forgotten costs a second statement when it comes back (ours). */
const MAX_KEYS = 100_000

/** Nothing is known at first. */
export function createKnownLimits(maxKeys = MAX_KEYS): KnownLimits {
  const known = new Map<string, KeyLimits>()
  return {
    find: (keyHash) => known.get(keyHash),
    learn(keyHash, limits) {
      known.delete(keyHash)
      known.set(keyHash, limits)
      if (known.size > maxKeys) known.delete(known.keys().next().value!)
    },
    forget(keyHash) {
      known.delete(keyHash)
    },
  }
}
