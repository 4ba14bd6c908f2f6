import { type Awaitable, followed } from '../awaitable.ts'
import type { ApiError } from '../errors.ts'
import { MAX_PER_MINUTE, UNITS, waitMs } from './bucket.ts'
import type { KeyRates } from './key-rates.ts'
import { type BucketName, type LimitMetrics, silentLimits } from './metrics.ts'
import { type BucketState, rateLimitError } from './refusal.ts'
import type { BucketStore, Change, Changed } from './store.ts'

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
  take(key: KeyRates): Awaitable<Taken>
  /** Gives back what a request took that was refused for another reason. */
  giveBack(key: KeyRates): Awaitable<void>
  /** Takes what a request has really used, into debt if need be (LIM-23). */
  debit(key: KeyRates, tokens: number): Awaitable<void>
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

const ofRequests = kinds.filter(({ counts }) => counts === 'requests')
const ofTokens = kinds.filter(({ counts }) => counts === 'tokens')

/** The four buckets of every key, kept in `store`. */
export function createBuckets(
  store: BucketStore,
  defaults: DefaultLimits,
  metrics: LimitMetrics = silentLimits,
): Buckets {
  const changeOf = (key: KeyRates, { owner, counts }: Kind, units: number, least?: number): Change => ({
    owner: owner === 'key' ? key.keyId : key.workspaceId,
    workspaceId: key.workspaceId,
    counts,
    perMinute: perMinute(key, owner, counts, defaults),
    least,
    units,
  })
  const move = (key: KeyRates, moved: readonly Kind[], amount: number): Awaitable<void> => {
    if (amount === 0) return
    return followed(store.apply(moved.map((kind) => changeOf(key, kind, amount * UNITS))), () => {})
  }

  return {
    take(key) {
      const changes = kinds.map((kind) =>
        changeOf(key, kind, kind.counts === 'requests' ? -UNITS : 0, kind.least),
      )
      return followed(store.apply(changes), (changed) => takenOf(changed, changes))
    },
    giveBack: (key) => move(key, ofRequests, 1),
    debit: (key, tokens) => move(key, ofTokens, -tokens),
    refuse(state) {
      metrics.refused(state.bucket)
      return rateLimitError(state)
    },
  }
}

/** What the four buckets say, which were asked in the order of `kinds`. */
function takenOf({ nowMs, refusedAt, levels }: Changed, changes: readonly Change[]): Taken {
  const admits = refusedAt < 0
  const tighter = levels[1]! < levels[0]! ? 1 : 0
  const place = admits ? tighter : refusedAt
  const { bucket, least } = kinds[place]!
  const limit = changes[place]!.perMinute
  const level = levels[place]!
  const remaining = Math.max(0, Math.floor(level / UNITS))
  return { admits, state: { bucket, limit, remaining, waitMs: waitMs(level, least, limit), nowMs } }
}

/** A key without values of its own has its workspace's, and that the deployment's. */
function perMinute(
  key: KeyRates,
  owner: Kind['owner'],
  counts: Kind['counts'],
  defaults: DefaultLimits,
): number {
  const isOfRequests = counts === 'requests'
  const own = isOfRequests ? key.requestsPerMinute : key.tokensPerMinute
  const workspace = isOfRequests ? key.workspaceRequestsPerMinute : key.workspaceTokensPerMinute
  const usual = isOfRequests ? defaults.requestsPerMinute : defaults.tokensPerMinute
  return Math.min(MAX_PER_MINUTE, (owner === 'key' ? own : null) ?? workspace ?? usual)
}
