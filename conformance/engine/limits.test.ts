import { expect, test } from 'vitest'
import { AssertionError } from './assert.ts'
import type { Context } from './context.ts'
import type { Exchange } from './http/exchange.ts'
import { askUntilRefused, exhaust, mostIn, readBucket } from './limits.ts'
import { NotTestable } from './thrown.ts'

test('the headers of a bucket are numbers, and NaN where one is missing', () => {
  const headers = { 'x-ratelimit-limit': '2', 'x-ratelimit-reset': '7', 'retry-after': '1' }
  expect(readBucket({ headers } as unknown as Exchange)).toEqual({
    limit: 2,
    remaining: Number.NaN,
    resetAtMs: 7_000,
    retryAfterSeconds: 1,
    retryAfterMs: Number.NaN,
  })
})

test.each([
  [0, 60, 60],
  [1, 60, 61],
  [1_000, 60, 61],
  [60_000, 60, 120],
])('in %i ms a bucket of %i admits %i at the most', (elapsedMs, perMinute, most) => {
  expect(mostIn(elapsedMs, perMinute)).toBe(most)
})

const answer = (status: number) => ({ status }) as unknown as Exchange

/** A product whose answers are all alike, at a machine that has no patience: time is up at once. */
const impatient = { patience: () => -1 }

test('a bucket that fills faster than it is asked is no failure of the product', async () => {
  const ask = async () => answer(200)
  await expect(askUntilRefused(impatient, ask, 1, Date.now() - 60_000_000)).rejects.toThrow(NotTestable)
})

test('more than a bucket held and regained is one, however slow the machine is', async () => {
  const ask = async () => answer(200)
  await expect(askUntilRefused(impatient, ask, 1, Date.now())).rejects.toThrow(AssertionError)
})

test.each([
  ['by its status', answer(429)],
  [
    'by its code, with whatever status',
    { ...answer(418), body: Buffer.from('{"error":{"code":"rate_limit_exceeded"}}') },
  ],
])('a bucket that refuses is told by its refusal: %s', async (_, refusal) => {
  const ask = async (turn: number) => (turn === 3 ? refusal : answer(200))
  expect(await askUntilRefused(impatient, ask, 60, Date.now())).toEqual(refusal)
})

test('whoever admits more than a limit does not empty its bucket, and fails', async () => {
  const context = { patience: () => 60_000, chat: async () => answer(200) } as unknown as Context
  await expect(exhaust(context, 1)).rejects.toThrow(AssertionError)
})

test('whoever answers more slowly than a bucket fills does not empty it, and nothing is told', async () => {
  const context = { patience: () => 5, chat: async () => answer(200) } as unknown as Context
  await expect(exhaust(context, 7_200_000_000)).rejects.toThrow(NotTestable)
})
