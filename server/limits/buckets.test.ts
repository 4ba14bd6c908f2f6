import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { type Buckets, createBuckets } from './buckets.ts'
import type { KeyRates } from './key-rates.ts'
import { createMemoryStore } from './memory.ts'

const START_MS = 1_767_225_600_000
const defaults = { requestsPerMinute: 60, tokensPerMinute: 6_000 }

let nowMs: number
let buckets: Buckets

beforeEach(() => {
  nowMs = START_MS
  buckets = createBuckets(
    createMemoryStore(() => nowMs),
    defaults,
  )
})

function key(change: Partial<KeyRates> = {}): KeyRates {
  return {
    keyId: 'key_1',
    workspaceId: 'ws_1',
    requestsPerMinute: null,
    tokensPerMinute: null,
    workspaceRequestsPerMinute: null,
    workspaceTokensPerMinute: null,
    ...change,
  }
}

async function takeAll(from: KeyRates): Promise<number> {
  for (let count = 0; ; count++) if (!(await buckets.take(from)).admits) return count
}

test('a key may make as many requests at once as a minute allows, and then one by one', async () => {
  expect(await takeAll(key())).toBe(60)
  expect(await buckets.take(key())).toMatchObject({
    admits: false,
    state: { bucket: 'key_requests', limit: 60, remaining: 0, waitMs: 1_000 },
  })
  nowMs += 999
  expect((await buckets.take(key())).admits).toBe(false)
  nowMs += 1
  expect((await buckets.take(key())).admits).toBe(true)
})

test('a key’s own values stand in for the defaults, its workspace keeps the defaults', async () => {
  const small = key({ requestsPerMinute: 5 })
  expect(await takeAll(small)).toBe(5)
  expect(await buckets.take(small)).toMatchObject({
    state: { bucket: 'key_requests', limit: 5 },
  })
  const large = key({ keyId: 'key_2', requestsPerMinute: 1_000 })
  expect(await takeAll(large)).toBe(55)
  expect(await buckets.take(large)).toMatchObject({
    state: { bucket: 'workspace_requests', limit: 60 },
  })
})

test('more keys bring a workspace no more budget, and another workspace has its own', async () => {
  for (let number = 0; number < 60; number++) {
    expect((await buckets.take(key({ keyId: `key_${number}` }))).admits).toBe(true)
  }
  expect((await buckets.take(key({ keyId: 'key_60' }))).admits).toBe(false)
  expect((await buckets.take(key({ workspaceId: 'ws_2' }))).admits).toBe(true)
})

test('of several empty buckets the answer names the first: requests before tokens, the key before the workspace', async () => {
  const [spent, fresh] = [key(), key({ keyId: 'key_2' })]
  const bucketFor = async (subject: KeyRates) => (await buckets.take(subject)).state.bucket
  await takeAll(spent)
  await buckets.debit(spent, 1_000_000)
  expect(await bucketFor(spent)).toBe('key_requests')
  expect(await bucketFor(fresh)).toBe('workspace_requests')
  nowMs += 60_000
  expect(await bucketFor(spent)).toBe('key_tokens')
  expect(await bucketFor(fresh)).toBe('workspace_tokens')
})

test('a refusal by a later bucket gives back what earlier ones took', async () => {
  const spent = key({ tokensPerMinute: 100 })
  await buckets.take(spent)
  await buckets.debit(spent, 100)
  for (let count = 0; count < 100; count++) expect((await buckets.take(spent)).admits).toBe(false)
  const { state } = await buckets.take(key({ keyId: 'key_2' }))
  expect(state).toMatchObject({ limit: 60, remaining: 58 })
})

test('what is given back can be taken again, and a full bucket takes no more', async () => {
  expect(await takeAll(key())).toBe(60)
  await buckets.giveBack(key())
  expect((await buckets.take(key())).admits).toBe(true)
  expect((await buckets.take(key())).admits).toBe(false)
  nowMs += 60_000
  await buckets.giveBack(key())
  expect(await takeAll(key())).toBe(60)
})

test('a token bucket admits while anything is in it, and its debt is repaid by refill', async () => {
  const subject = key({ tokensPerMinute: 60 })
  expect((await buckets.take(subject)).admits).toBe(true)
  await buckets.debit(subject, 59)
  expect((await buckets.take(subject)).admits).toBe(true)
  await buckets.debit(subject, 121)
  expect(await buckets.take(subject)).toMatchObject({
    admits: false,
    state: { bucket: 'key_tokens', limit: 60, remaining: 0, waitMs: 120_001 },
  })
  nowMs += 120_000
  expect(await buckets.take(subject)).toMatchObject({ admits: false, state: { waitMs: 1 } })
  nowMs += 1
  expect((await buckets.take(subject)).admits).toBe(true)
})

test('tokens of one key empty the bucket of its workspace for the others', async () => {
  await buckets.take(key({ tokensPerMinute: 1_000_000 }))
  await buckets.debit(key({ tokensPerMinute: 1_000_000 }), 6_000)
  expect(await buckets.take(key({ keyId: 'key_2' }))).toMatchObject({
    admits: false,
    state: { bucket: 'workspace_tokens', limit: 6_000 },
  })
})

test('an admitted request is told the tighter of its request buckets', async () => {
  const subject = key({ requestsPerMinute: 100 })
  expect(await buckets.take(subject)).toMatchObject({ admits: true, state: { limit: 60, remaining: 59 } })
  const tight = key({ keyId: 'key_2', requestsPerMinute: 2 })
  expect(await buckets.take(tight)).toMatchObject({ state: { limit: 2, remaining: 1, waitMs: 0 } })
  expect(await buckets.take(tight)).toMatchObject({ state: { limit: 2, remaining: 0, waitMs: 30_000 } })
})

test('in no span of time are more admitted than a full bucket and what was refilled meanwhile', async () => {
  const steps = fc.array(fc.nat(20_000), { minLength: 2, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 120 }), steps, async (requestsPerMinute, waits) => {
      const subject = key({ keyId: `key_${nowMs}`, workspaceId: `ws_${nowMs}`, requestsPerMinute })
      const rate = Math.min(60, requestsPerMinute)
      const admitted: { atMs: number; count: number }[] = []
      for (const wait of waits) {
        nowMs += wait
        admitted.push({ atMs: nowMs, count: await takeAll(subject) })
      }
      for (const [index, from] of admitted.entries()) {
        let count = 0
        for (const to of admitted.slice(index)) {
          count += to.count
          expect(count).toBeLessThanOrEqual(rate + ((to.atMs - from.atMs) * rate) / 60_000)
        }
      }
    }),
  )
})

test('the wait that a refusal tells is exact: a millisecond earlier the bucket refuses still', async () => {
  const rates = fc.record({ requestsPerMinute: fc.integer({ min: 1, max: 60 }), tokens: fc.nat(20_000) })
  await fc.assert(
    fc.asyncProperty(rates, fc.nat(5_000), async ({ requestsPerMinute, tokens }, pause) => {
      const subject = key({ keyId: `key_${nowMs}`, workspaceId: `ws_${nowMs}`, requestsPerMinute })
      await takeAll(subject)
      await buckets.debit(subject, tokens)
      nowMs += pause
      for (;;) {
        const refused = await buckets.take(subject)
        if (refused.admits) break
        const { waitMs, bucket } = refused.state
        nowMs += waitMs - 1
        expect(await buckets.take(subject)).toMatchObject({ admits: false, state: { bucket, waitMs: 1 } })
        nowMs += 1
      }
    }),
  )
})

test('memory is bounded: of buckets that were not changed since half of them were there the first is forgotten', async () => {
  const store = createMemoryStore(() => nowMs, 4)
  const bucket = { workspaceId: 'ws_1', counts: 'tokens', perMinute: 1, least: undefined } as const
  const change = (owner: string) => store.apply([{ ...bucket, owner, units: -60_000 }])
  for (const owner of ['a', 'b', 'a', 'c', 'd', 'e', 'b', 'c', 'f']) await change(owner)
  const owners = ['a', 'b', 'c', 'd', 'e', 'f']
  const { levels } = await store.apply(owners.map((owner) => ({ ...bucket, owner, units: 0 })))
  expect(levels.map((level) => level < 60_000)).toEqual([false, true, true, false, true, true])
})

test('memory is bounded: the bucket that was changed the longest ago is forgotten', async () => {
  const store = createMemoryStore(() => nowMs, 2)
  const bucket = { workspaceId: 'ws_1', counts: 'tokens', perMinute: 1, least: undefined } as const
  const change = (owner: string) => store.apply([{ ...bucket, owner, units: -60_000 }])
  await change('a')
  await change('b')
  await change('a')
  await change('c')
  const { levels } = await store.apply(['a', 'b', 'c'].map((owner) => ({ ...bucket, owner, units: 0 })))
  expect(levels).toEqual([-60_000, 60_000, 0])
})
