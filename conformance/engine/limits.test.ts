import { expect, test } from 'vitest'
import type { Exchange } from './http/exchange.ts'
import { mostIn, readBucket } from './limits.ts'

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
