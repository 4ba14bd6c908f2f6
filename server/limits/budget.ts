import { type Bucket, levelAt, UNITS, waitMs } from './bucket.ts'
import { type BucketName, type LimitMetrics, silentLimits } from './metrics.ts'
import { rateLimitError } from './refusal.ts'

/** A budget of its own for each source address, apart from any workspace's traffic (LIM-11). */
export interface Budget {
  /** Takes one, or throws 429 `rate_limit_exceeded`. */
  take(source: string): void
}

/** Addresses that are remembered; one that is forgotten has a full bucket again (ours). */
const MAX_SOURCES = 100_000

/** Creates a budget of so many a minute for each source. */
export function createBudget(
  bucket: BucketName,
  perMinute: number,
  now: () => number,
  metrics: LimitMetrics = silentLimits,
): Budget {
  const buckets = new Map<string, Bucket>()
  return {
    take(source) {
      const nowMs = now()
      const level = levelAt(buckets.get(source), perMinute, nowMs)
      // Taken out and put back, so that the map is in the order of the last use.
      buckets.delete(source)
      const isEmpty = level < UNITS
      buckets.set(source, { level: isEmpty ? level : level - UNITS, atMs: nowMs })
      if (buckets.size > MAX_SOURCES) buckets.delete(buckets.keys().next().value!)
      if (isEmpty) {
        metrics.refused(bucket)
        throw rateLimitError({
          bucket,
          limit: perMinute,
          remaining: 0,
          waitMs: waitMs(level, UNITS, perMinute),
          nowMs,
        })
      }
    },
  }
}
