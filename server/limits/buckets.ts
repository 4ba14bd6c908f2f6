import type { ApiError } from '../errors.ts'
import { MAX_PER_MINUTE, UNITS, waitMs } from './bucket.ts'
import type { KeyRates } from './key-rates.ts'
import { type BucketName, type LimitMetrics, silentLimits } from './metrics.ts'
import { type BucketState, rateLimitError } from './refusal.ts'
import type { BucketStore, Change } from './store.ts'

/** What the deployment allows a workspace that was given no values of its own (LIM-04). */
export interface DefaultLimits {
  readonly requestsPerMinute: number
  readonly tokensPerMinute: number
}

/** What the four buckets say of a request. */
export interface Taken {
  /** Whether one was taken from each request bucket; otherwise nothing was taken from any. */
  readonly admits: boolean
  /** The tighter request bucket, or the first bucket that refused. */
  readonly state: BucketState
}

/** The four one-minute buckets of a key and its workspace (LIM-01). */
export interface Buckets {
  /** Takes a request from all of them or from none. */
  take(key: KeyRates): Promise<Taken>
  /** Gives back what a request took that was refused for another reason. */
  giveBack(key: KeyRates): Promise<void>
  /** Takes what a request has really used, into debt if need be (LIM-23). */
  debit(key: KeyRates, tokens: number): Promise<void>
  /** The 429 that a bucket's refusal becomes when nothing else refuses; the operator's metrics count it. */
  refuse(state: BucketState): ApiError
}

/** One of the four: whose it is, what it counts, and what it must hold to admit. */
interface Kind {
  readonly bucket: BucketName
  readonly owner: 'key' | 'workspace'
  readonly counts: 'requests' | 'tokens'
  readonly least: number
}

// The order is part of the contract (LIM-02): a caller over two limits learns of the first.
const kinds: readonly Kind[] = [
  { bucket: 'key_requests', owner: 'key', counts: 'requests', least: UNITS },
  { bucket: 'workspace_requests', owner: 'workspace', counts: 'requests', least: UNITS },
  // Anything above zero admits: what a request will use is not known yet.
  { bucket: 'key_tokens', owner: 'key', counts: 'tokens', least: 1 },
  { bucket: 'workspace_tokens', owner: 'workspace', counts: 'tokens', least: 1 },
]

/** The four buckets of every key, kept in `store`. */
export function createBuckets(
  store: BucketStore,
  defaults: DefaultLimits,
  metrics: LimitMetrics = silentLimits,
): Buckets {
  const changesOf = (key: KeyRates, { requests, tokens, asks }: Amounts): Change[] =>
    kinds.map(({ owner, counts, least }) => ({
      owner: owner === 'key' ? key.keyId : key.workspaceId,
      workspaceId: key.workspaceId,
      counts,
      perMinute: perMinute(key, owner, counts, defaults),
      least: asks ? least : undefined,
      units: counts === 'requests' ? requests * UNITS : tokens * UNITS,
    }))
  const move = async (key: KeyRates, amounts: Amounts): Promise<void> => {
    const changes = changesOf(key, amounts).filter(({ units }) => units !== 0)
    if (changes.length > 0) await store.apply(changes)
  }

  return {
    async take(key) {
      const changes = changesOf(key, { requests: -1, tokens: 0, asks: true })
      const { nowMs, refusedAt, levels } = await store.apply(changes)
      const stateAt = (place: number): BucketState => {
        const [kind, limit] = [kinds[place]!, changes[place]!.perMinute]
        return {
          bucket: kind.bucket,
          limit,
          remaining: Math.max(0, Math.floor(levels[place]! / UNITS)),
          waitMs: waitMs(levels[place]!, kind.least, limit),
          nowMs,
        }
      }
      const tighter = levels[1]! < levels[0]! ? 1 : 0
      return refusedAt < 0
        ? { admits: true, state: stateAt(tighter) }
        : { admits: false, state: stateAt(refusedAt) }
    },
    giveBack: (key) => move(key, { requests: 1, tokens: 0, asks: false }),
    debit: (key, tokens) => move(key, { requests: 0, tokens: -tokens, asks: false }),
    refuse(state) {
      metrics.refused(state.bucket)
      return rateLimitError(state)
    },
  }
}

interface Amounts {
  readonly requests: number
  readonly tokens: number
  readonly asks: boolean
}

/** A key without values of its own has its workspace's, and that the deployment's. */
function perMinute(
  key: KeyRates,
  owner: Kind['owner'],
  counts: Kind['counts'],
  defaults: DefaultLimits,
): number {
  const [own, workspace, usual] =
    counts === 'requests'
      ? [key.requestsPerMinute, key.workspaceRequestsPerMinute, defaults.requestsPerMinute]
      : [key.tokensPerMinute, key.workspaceTokensPerMinute, defaults.tokensPerMinute]
  return Math.min(MAX_PER_MINUTE, (owner === 'key' ? own : null) ?? workspace ?? usual)
}
