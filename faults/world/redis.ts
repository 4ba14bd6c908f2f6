import { startRedis } from '../../server/limits/testing.ts'
import { findProgram } from '../../tests/needs.ts'
import type { Seat } from './seat.ts'

/** Where the routers share their rate buckets. */
export interface Redis extends Seat {
  readonly url: string
}

/** Starts Debian's Redis; undefined where this machine has none. */
export async function startRedisSeat(): Promise<Redis | undefined> {
  if (findProgram('redis-server') === undefined) return undefined
  const redis = await startRedis()
  let isUp = true
  return {
    name: 'redis',
    url: redis.url,
    pid: undefined,
    async kill() {
      isUp = false
      await redis.kill()
    },
    pause: redis.pause,
    resume: redis.resume,
    async ensureRunning() {
      if (!isUp) await redis.restart()
      isUp = true
    },
    log: () => '',
    stop: redis.stop,
  }
}
