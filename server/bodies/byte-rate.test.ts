import { expect, test } from 'vitest'
import { limits } from '#contract/limits'
import { createByteRate } from './byte-rate.ts'

const SECOND = limits.bodyBytesPerSecond

test('a burst is read at once, and what comes after it at the rate, for each by itself', () => {
  let nowMs = 0
  const rate = createByteRate(2 * SECOND, () => nowMs)
  expect(rate.take('ws_1', 2 * SECOND)).toBe(0)
  expect(rate.take('ws_1', SECOND / 2)).toBe(500)
  expect(rate.take('ws_2', SECOND)).toBe(0)
  nowMs = 500
  expect(rate.take('ws_1', SECOND)).toBe(1_000)
  nowMs = 100_000
  expect(rate.take('ws_1', 2 * SECOND)).toBe(0)
  expect(rate.take('ws_1', SECOND)).toBe(1_000)
})
