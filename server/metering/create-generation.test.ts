import { expect, test, vi } from 'vitest'
import type { Buckets } from '../limits/buckets.ts'
import { silent } from '../log.ts'
import { createGeneration } from './create-generation.ts'
import { createRunningSet } from './running.ts'
import type { Settlement, SettlementItem, SettlementResult } from './settlement.ts'
import { askedGeneration, finished, wideBuckets } from './testing.ts'

const accepted = {
  ...askedGeneration(),
  id: 'gen-1',
  outputCapTokens: 1_000,
  key: {
    workspaceId: 'ws_1',
    keyId: 'key_1',
    requestsPerMinute: null,
    tokensPerMinute: null,
    workspaceRequestsPerMinute: null,
    workspaceTokensPerMinute: null,
  },
  rateLimit: { bucket: 'key_requests' as const, limit: 600, remaining: 599, waitMs: 0, nowMs: 0 },
}

/** A running generation whose settlement ends as the test says. */
function world(settle: (item: SettlementItem) => Promise<SettlementResult>, outageMs = 1_000) {
  const running = createRunningSet()
  const onUncertain = vi.fn()
  const written: SettlementItem[] = []
  const settlement: Settlement = {
    settle(item, patience) {
      const place = written.push(item) - 1
      return {
        written: settle(item),
        withhold() {
          if (patience) written[place] = patience.withheld()
        },
      }
    },
    warm: async () => {},
    waiting: 0,
    idle: async () => {},
    stop: async () => {},
  }
  const debits: number[] = []
  const buckets: Buckets = {
    ...wideBuckets(),
    async debit(_, tokens) {
      debits.push(tokens)
    },
  }
  const options = {
    settlement,
    moveHold: async () => true,
    buckets,
    running,
    outageMs,
    log: silent,
    onUncertain,
  }
  const generation = createGeneration(accepted, running.expect(accepted.id), options)
  return { generation, running, onUncertain, written, debits }
}

test('what is settled is charged once, and the generation runs no more', async () => {
  const { generation, running, written } = world(async () => 'settled')
  expect(running.has('gen-1')).toBe(true)
  expect(await generation.settle(finished)).toEqual({ costMicros: 23, ledgerId: 'led_1' })
  await generation.settle(finished)
  expect(written).toHaveLength(1)
  expect(running.has('gen-1')).toBe(false)
})

test('a settlement that the client did not wait for is written as aborted', async () => {
  let write: (result: SettlementResult) => void = () => {}
  const pending = new Promise<SettlementResult>((resolve) => {
    write = resolve
  })
  const { generation, running, written } = world(() => pending, 1)
  await expect(generation.settle(finished)).rejects.toMatchObject({ reason: 'unavailable' })
  expect(written[0]).toMatchObject({
    status: 'aborted',
    promptTokens: 12,
    completionTokens: 34,
    costMicros: 23,
  })
  expect(running.has('gen-1')).toBe(true)
  write('settled')
  await running.empty()
})

test('an answer of which nothing was delivered is written with its prompt alone, and its buckets are given the rest back', async () => {
  const { generation, written, debits } = world(() => new Promise(() => {}), 1)
  const unseen = { ...finished, timeToFirstTokenMs: null }
  await expect(generation.settle(unseen)).rejects.toMatchObject({ reason: 'unavailable' })
  expect(written[0]).toMatchObject({
    status: 'aborted',
    promptTokens: 12,
    completionTokens: 0,
    costMicros: 2,
  })
  expect(debits).toEqual([46, -34])
})

test('an answer that the database calls late is no clean end, and runs no more', async () => {
  const { generation, running, debits } = world(async () => 'withheld')
  const unseen = { ...finished, timeToFirstTokenMs: null }
  await expect(generation.settle(unseen)).rejects.toMatchObject({ reason: 'unavailable' })
  expect(running.size).toBe(0)
  expect(debits).toEqual([46, -34])
})

test('a settlement that finds the hold gone is no clean end', async () => {
  const { generation, running } = world(async () => 'reaped')
  await expect(generation.settle(finished)).rejects.toMatchObject({ reason: 'reaped' })
  expect(running.size).toBe(0)
})

test('a record that the database refuses is no clean end, and its hold is looked for', async () => {
  const { generation, running, onUncertain } = world(() => Promise.reject(new Error('check violated')))
  await expect(generation.settle(finished)).rejects.toMatchObject({ reason: 'refused' })
  expect(onUncertain).toHaveBeenCalledOnce()
  expect(running.size).toBe(0)
})

test.each([
  ['ok has its tokens taken from the buckets, once', async () => 'settled' as const, [46]],
  ['refused has them taken, too', () => Promise.reject(new Error('check violated')), [46]],
  [
    'reaped has them given back: its reaper has taken what is recorded',
    async () => 'reaped' as const,
    [46, -46],
  ],
])('a generation that is %s', async (_, settle, taken) => {
  const { generation, debits } = world(settle)
  await Promise.allSettled([generation.settle(finished), generation.settle(finished)])
  expect(debits).toEqual(taken)
})

test('timings are recorded in whole milliseconds', async () => {
  const { generation, written } = world(async () => 'settled')
  await generation.settle({ ...finished, latencyMs: 12.6, timeToFirstTokenMs: -0.4 })
  expect(written[0]).toMatchObject({ latencyMs: 13, timeToFirstTokenMs: 0 })
})
