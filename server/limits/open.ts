import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { type Buckets, createBuckets, type DefaultLimits } from './buckets.ts'
import { createClosedStore, createOpenStore } from './constant.ts'
import { createFallbackStore } from './fallback.ts'
import { createMemoryStore } from './memory.ts'
import type { LimitMetrics } from './metrics.ts'
import { connectRedis, createRedisStore } from './redis.ts'
import type { BucketStore } from './store.ts'

/** Where several routers share their buckets, and what one does without that store. */
export interface RedisConfig {
  /** Undefined: each router counts on its own. */
  readonly url: string | undefined
  readonly fallback: 'memory' | 'closed' | 'open'
}

/** What the buckets of a router need from the world. */
export interface BucketOptions {
  readonly redis: RedisConfig
  readonly defaults: DefaultLimits
  readonly now: () => number
  readonly metrics: LimitMetrics
  readonly log: Log
}

/** A router's buckets, wherever they are kept. */
export interface OpenBuckets extends Buckets {
  /** How often they were counted without the shared store, since the start (LIM-41). */
  readonly lostCount: number
  close(): void
}

/** How long a start waits for the shared store; it begins without it otherwise. Milliseconds, ours. */
const START_MS = 1_000

const substitutes: Readonly<Record<RedisConfig['fallback'], (now: () => number) => BucketStore>> = {
  memory: createMemoryStore,
  closed: createClosedStore,
  open: createOpenStore,
}

/** Opens the buckets of one router. */
export async function openBuckets(options: BucketOptions): Promise<OpenBuckets> {
  const { redis, defaults, now, metrics, log } = options
  if (redis.url === undefined) {
    return { ...createBuckets(createMemoryStore(now), defaults, metrics), lostCount: 0, close() {} }
  }
  const { client, ready, close } = await connectRedis(redis.url, log)
  const patience = new AbortController()
  await Promise.race([ready, sleep(START_MS, undefined, { signal: patience.signal }).catch(() => {})])
  patience.abort()
  const shared = createRedisStore(client)
  const instead = substitutes[redis.fallback](now)
  const store = createFallbackStore({ shared, instead, onLost: metrics.lost, log })
  await store.probe()
  return {
    ...createBuckets(store, defaults, metrics),
    get lostCount() {
      return store.lostCount
    },
    close() {
      store.close()
      close()
    },
  }
}
