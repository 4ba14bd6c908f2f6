import { expect, test } from 'vitest'
import { exactMicros } from './exact-micros.ts'

test.each([
  [0n, '0'],
  [1n, '0.000001'],
  [22_200_000n, '22.2'],
  [1_234_000_000n, '1,234'],
  [9_007_199_254_740_993_000_001n, '9,007,199,254,740,993.000001'],
])('%d millionths of a micro-dollar are %s', (millionths, text) => {
  expect(exactMicros(millionths)).toBe(text)
})
