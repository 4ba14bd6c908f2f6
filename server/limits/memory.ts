import { type Bucket, fullLevel, levelAt } from './bucket.ts'
import type { BucketStore } from './store.ts'

/** Buckets of each kind that are remembered; one that is forgotten, the longest unchanged first, is full again (ours). */
const MAX_BUCKETS = 100_000

/** Buckets of one router alone. */
export function createMemoryStore(now: () => number, maxBuckets = MAX_BUCKETS): BucketStore {
  // By owner: joined names would have to be hashed each time, which takes longer than all the rest.
  const buckets = { requests: new Map<string, Bucket>(), tokens: new Map<string, Bucket>() }

  function keep(kept: Map<string, Bucket>, owner: string, bucket: Bucket): void {
    // Taken out and put back, so that the map is in the order of the last change.
    kept.delete(owner)
    kept.set(owner, bucket)
    if (kept.size > maxBuckets) kept.delete(kept.keys().next().value!)
  }

  return {
    async apply(changes) {
      const nowMs = now()
      const levels = changes.map(({ owner, counts, perMinute }) =>
        levelAt(buckets[counts].get(owner), perMinute, nowMs),
      )
      const refusedAt = changes.findIndex(({ least }, place) => least !== undefined && levels[place]! < least)
      if (refusedAt >= 0) return { nowMs, refusedAt, levels }
      for (const [place, { owner, counts, perMinute, units }] of changes.entries()) {
        if (units === 0) continue
        const level = Math.min(fullLevel(perMinute), levels[place]! + units)
        levels[place] = level
        keep(buckets[counts], owner, { level, atMs: nowMs })
      }
      return { nowMs, refusedAt, levels }
    },
  }
}
