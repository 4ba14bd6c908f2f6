import { type Bucket, fullLevel, levelAt } from './bucket.ts'
import type { BucketStore } from './store.ts'

/**
 * Buckets of each kind that are remembered (ours). Beyond that one is forgotten, and full again: the longest unchanged, and
 * of those that were not changed since half as many were there the first that came.
 */
const MAX_BUCKETS = 100_000

/** Buckets of one router alone. */
export function createMemoryStore(now: () => number, maxBuckets = MAX_BUCKETS): BucketStore {
  // By owner: joined names would have to be hashed each time, which takes longer than all the rest.
  const buckets = { requests: new Map<string, Bucket>(), tokens: new Map<string, Bucket>() }

  function keep(kept: Map<string, Bucket>, owner: string, bucket: Bucket): void {
    // Taken out and put back, so that the map is in the order of the last change; while it is half empty only set, since the
    // former makes new tables all the time (see `Roster`).
    if (kept.size > maxBuckets / 2) kept.delete(owner)
    kept.set(owner, bucket)
    if (kept.size > maxBuckets) kept.delete(kept.keys().next().value!)
  }

  return {
    apply(changes) {
      const nowMs = now()
      const levels: number[] = []
      let refusedAt = -1
      for (const { owner, counts, perMinute, least } of changes) {
        const level = levelAt(buckets[counts].get(owner), perMinute, nowMs)
        if (refusedAt < 0 && least !== undefined && level < least) refusedAt = levels.length
        levels.push(level)
      }
      if (refusedAt >= 0) return { nowMs, refusedAt, levels }
      for (let place = 0; place < changes.length; place++) {
        const { owner, counts, perMinute, units } = changes[place]!
        if (units === 0) continue
        const level = Math.min(fullLevel(perMinute), levels[place]! + units)
        levels[place] = level
        keep(buckets[counts], owner, { level, atMs: nowMs })
      }
      return { nowMs, refusedAt, levels }
    },
  }
}
