import { hash } from 'node:crypto'
import type { createClient } from 'redis'
import type { Log } from '../log.ts'
import { bucketScript } from './script.ts'
import type { BucketStore } from './store.ts'

/** The part of a client that the buckets need. */
export type RedisClient = Pick<ReturnType<typeof createClient>, 'evalSha' | 'eval'>

/** A connection that comes back by itself when it is lost. */
export interface RedisConnection {
  readonly client: RedisClient
  /** Resolves when the server has answered for the first time. */
  readonly ready: Promise<void>
  close(): void
}

/** Where this product's buckets are among whatever else the server keeps. */
const PREFIX = 'router:bucket:'

/** Milliseconds, ours. */
const CONNECT_MS = 1_000
const RECONNECT_MS = 200

/** A connection that hangs is noticed by pings that stay without an answer; milliseconds, ours. */
const PING_MS = 1_000
const SILENCE_MS = 3_000

/** Begins to connect. What is asked while there is no connection fails at once. */
export async function connectRedis(url: string, log: Log): Promise<RedisConnection> {
  const { createClient } = await import('redis')
  const client = createClient({
    url,
    disableOfflineQueue: true,
    // Its own timer is for commands that were not sent yet, and costs more than the command.
    commandOptions: { timeout: 0 },
    pingInterval: PING_MS,
    socket: { connectTimeout: CONNECT_MS, socketTimeout: SILENCE_MS, reconnectStrategy: () => RECONNECT_MS },
  })
  let isTold = false
  client.on('error', (error: unknown) => {
    if (!isTold) log.warn('there is no connection to Redis (redis.url)', { error })
    isTold = true
  })
  client.on('ready', () => {
    isTold = false
  })
  const ready = client.connect().then(() => {})
  // Closing rejects it, when nobody may be waiting any more.
  ready.catch(() => {})
  return { client, ready, close: () => client.destroy() }
}

/** Buckets that several routers share: each list of changes is one script on the server. */
export function createRedisStore(client: RedisClient, script: string = bucketScript()): BucketStore {
  const digest = hash('sha1', script)
  return {
    async apply(changes) {
      const call = {
        // A cluster keeps names with the same part in braces together, as one script must have them.
        keys: changes.map(({ owner, workspaceId, counts }) => `${PREFIX}{${workspaceId}}:${owner}:${counts}`),
        arguments: changes.flatMap(({ perMinute, least = '', units }) => [
          String(perMinute),
          String(least),
          String(units),
        ]),
      }
      const answer = await client.evalSha(digest, call).catch((error: Error) => {
        // A server that was started anew does not know the script.
        if (!error.message.startsWith('NOSCRIPT')) throw error
        return client.eval(script, call)
      })
      const [nowMs, refusedAt, ...levels] = answer as unknown as [number, number, ...number[]]
      return { nowMs, refusedAt, levels }
    },
  }
}
