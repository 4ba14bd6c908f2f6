import { type Bucket, fullBucket, refill, waitMs } from './bucket.ts'
import { rateLimitError } from './refusal.ts'

/** A budget of its own for each source address, apart from any workspace's traffic (§8). */
export interface Budget {
  /** Takes one, or throws 429 `rate_limit_exceeded`. */
  take(source: string): void
}

/** Addresses that are remembered; whoever is forgotten begins with a full bucket (ours). */
const MAX_SOURCES = 100_000

/** Creates a budget of so many a minute for each source. */
export function createBudget(perMinute: number, now: () => number): Budget {
  const buckets = new Map<string, Bucket>()
  return {
    take(source) {
      const nowMs = now()
      const bucket = refill(buckets.get(source) ?? fullBucket(perMinute, nowMs), perMinute, nowMs)
      // Taken out and put back, so that the map is in the order of the last use.
      buckets.delete(source)
      const isEmpty = bucket.level < 1
      buckets.set(source, isEmpty ? bucket : { ...bucket, level: bucket.level - 1 })
      if (buckets.size > MAX_SOURCES) buckets.delete(buckets.keys().next().value!)
      if (isEmpty) {
        throw rateLimitError({
          limit: perMinute,
          remaining: bucket.level,
          waitMs: waitMs(bucket, 1, perMinute),
          nowMs,
        })
      }
    },
  }
}
