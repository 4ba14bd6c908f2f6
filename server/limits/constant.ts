import { fullLevel } from './bucket.ts'
import type { BucketStore } from './store.ts'

/** Admits without counting: every bucket is full. */
export function createOpenStore(now: () => number): BucketStore {
  return {
    async apply(changes) {
      return { nowMs: now(), refusedAt: -1, levels: changes.map(({ perMinute }) => fullLevel(perMinute)) }
    },
  }
}

/** Refuses: every bucket is empty. */
export function createClosedStore(now: () => number): BucketStore {
  return {
    async apply(changes) {
      const refusedAt = changes.findIndex(({ least }) => least !== undefined)
      return { nowMs: now(), refusedAt, levels: changes.map(() => 0) }
    },
  }
}
