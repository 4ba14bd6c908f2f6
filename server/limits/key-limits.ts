/** A key as its buckets know it. */
export interface KeyLimits {
  readonly keyId: string
  readonly workspaceId: string
  /** Null: the deployment's default. */
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
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
