// @module-tag redis-server

import fc from 'fast-check'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Buckets, createBuckets, type Taken } from './buckets.ts'
import type { KeyRates } from './key-rates.ts'
import { createMemoryStore } from './memory.ts'
import { createRedisStore, type RedisClient } from './redis.ts'
import { bucketScript } from './script.ts'
import { startRedis, type TestRedis } from './testing.ts'

/** A clock that the test turns: the server keeps it as it would answer TIME, in seconds and microseconds. */
const CLOCK = "redis.call('LRANGE', 'clock', 0, 1)"
const START_MS = 1_767_225_600_000

const defaults = { requestsPerMinute: 12, tokensPerMinute: 300 }

let redis: TestRedis
let client: RedisClient & Pick<ReturnType<typeof createClient>, 'sendCommand' | 'destroy'>

beforeAll(async () => {
  redis = await startRedis()
  const plain = createClient({ url: redis.url })
  await plain.connect()
  client = plain
})

afterAll(async () => {
  client.destroy()
  await redis.stop()
})

const command = <T = unknown>(...words: string[]): Promise<T> => client.sendCommand<T>(words)

/** One thing that may happen to the buckets of one of four keys in two workspaces. */
const key = fc.nat(3)
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('take' as const), key, times: fc.integer({ min: 1, max: 15 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('giveBack' as const), key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('debit' as const), key, tokens: fc.nat(400) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(5_000) }) },
  // A clock may be set, forward and back.
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: -2e5, max: 2e5 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('limit' as const),
      key,
      requests: fc.option(fc.integer({ min: 1, max: 40 })),
      tokens: fc.option(fc.oneof(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 2 ** 50 }))),
    }),
  },
)

type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never

function createKeys(): KeyRates[] {
  return [25, 3, 25, null].map((requestsPerMinute, number) => ({
    keyId: `key_${number}`,
    workspaceId: `ws_${number % 2}`,
    requestsPerMinute,
    tokensPerMinute: number === 3 ? 90 : 9_000,
    workspaceRequestsPerMinute: number % 2 === 0 ? 15 : null,
    workspaceTokensPerMinute: number % 2 === 0 ? 400 : null,
  }))
}

async function perform(buckets: Buckets, key: KeyRates, done: Operation): Promise<Taken[]> {
  if (done.kind === 'giveBack') await buckets.giveBack(key)
  if (done.kind === 'debit') await buckets.debit(key, done.tokens)
  const times = done.kind === 'take' ? done.times : 0
  return Promise.all(Array.from({ length: times }, () => buckets.take(key)))
}

describe('memory and Redis', () => {
  test('answer the same to whatever happens to the buckets', async () => {
    const refusals = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 1, maxLength: 60, size: 'max' }),
        async (operations) => {
          await command('FLUSHDB')
          let nowMs = START_MS
          const keys = createKeys()
          const shared = createBuckets(createRedisStore(client, bucketScript(CLOCK)), defaults)
          const own = createBuckets(
            createMemoryStore(() => nowMs),
            defaults,
          )
          await setClock(nowMs)
          for (const done of operations) {
            if (done.kind === 'wait') {
              nowMs += done.ms
              await setClock(nowMs)
            } else if (done.kind === 'limit') {
              const { requests: requestsPerMinute, tokens: tokensPerMinute } = done
              keys[done.key] = { ...keys[done.key]!, requestsPerMinute, tokensPerMinute }
            } else {
              const key = keys[done.key]!
              const answers = await perform(own, key, done)
              expect(await perform(shared, key, done)).toEqual(answers)
              for (const { admits, state } of answers) {
                if (!admits) refusals.set(state.bucket, (refusals.get(state.bucket) ?? 0) + 1)
              }
            }
          }
          for (const key of keys) expect(await shared.take(key)).toEqual(await own.take(key))
        },
      ),
      { numRuns: 100 },
    )
    // Otherwise the operations would not have come near what they are about.
    expect(refusals.size).toBe(4)
  })
})

async function setClock(ms: number): Promise<void> {
  await command('DEL', 'clock')
  await command('RPUSH', 'clock', String(Math.floor(ms / 1_000)), String((ms % 1_000) * 1_000 + 999))
}

describe('the script', () => {
  const key = {
    keyId: 'key_1',
    workspaceId: 'ws_1',
    requestsPerMinute: null,
    tokensPerMinute: null,
    workspaceRequestsPerMinute: null,
    workspaceTokensPerMinute: null,
  }
  const buckets = () => {
    return createBuckets(createRedisStore(client), { requestsPerMinute: 20, tokensPerMinute: 700 })
  }

  test('goes by the server’s own clock', async () => {
    await command('FLUSHDB')
    const before = Number((await command<string[]>('TIME'))[0]) * 1_000
    const { state } = await buckets().take(key)
    const after = Number((await command<string[]>('TIME'))[0]) * 1_000 + 1_000
    expect(state.nowMs).toBeGreaterThanOrEqual(before)
    expect(state.nowMs).toBeLessThan(after)
  })

  test('takes one of many parallel requests at a time, whoever sends them', async () => {
    await command('FLUSHDB')
    const routers = [buckets(), buckets(), buckets()]
    const begun = performance.now()
    const taken = await Promise.all(Array.from({ length: 60 }, (_, index) => routers[index % 3]!.take(key)))
    const admitted = taken.filter(({ admits }) => admits).length
    expect(admitted).toBeGreaterThanOrEqual(20)
    // What the time of sixty commands refills, at 20 a minute, and one for the beginning of another.
    const refilled = ((performance.now() - begun) * 20) / 60_000
    expect(admitted).toBeLessThanOrEqual(21 + refilled)
  })

  test('leaves nothing behind: a bucket goes when it must have been full for a minute', async () => {
    await command('FLUSHDB')
    await buckets().take(key)
    await buckets().debit(key, 1_400)
    const names = await command<string[]>('KEYS', '*')
    expect(names).toHaveLength(4)
    const lives = await Promise.all(names.map((name) => command<number>('PTTL', name)))
    // One request of twenty a minute is back after 3 s; two minutes' worth of tokens after two minutes.
    expect(lives.toSorted((one, other) => one - other).map((life) => Math.ceil(life / 1_000))).toEqual([
      63, 63, 180, 180,
    ])
  })

  test('keeps all buckets of a workspace together, as a cluster demands of one script', async () => {
    const names = await command<string[]>('KEYS', '*')
    expect(names.every((name) => /^router:bucket:\{ws_1\}:/.test(name))).toBe(true)
  })

  test('is sent again to a server that has lost it', async () => {
    await command('FLUSHALL')
    await command('SCRIPT', 'FLUSH')
    expect(await buckets().take(key)).toMatchObject({ state: { limit: 20 } })
  })
})
