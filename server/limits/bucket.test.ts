import { expect, test } from 'vitest'
import { fullLevel, levelAt, UNITS, waitMs } from './bucket.ts'

test('a bucket that nobody has taken from holds what a minute allows', () => {
  expect(levelAt(undefined, 600, 5)).toBe(600 * UNITS)
})

test.each([
  ['half a minute refills half of it', 0, 30_000, 300 * UNITS],
  ['a millisecond refills its share, without a rest', 0, 1, 600],
  ['it is full after a minute', 0, 60_000, 600 * UNITS],
  ['and never more than full', 0, 3_600_000, 600 * UNITS],
  ['a debt is repaid, not forgiven', -600 * UNITS, 60_000, 0],
])('%s', (_, level, elapsedMs, expected) => {
  expect(levelAt({ level, atMs: 1_000 }, 600, 1_000 + elapsedMs)).toBe(expected)
})

test('a clock that steps back refills nothing', () => {
  expect(levelAt({ level: 7, atMs: 1_000 }, 600, 0)).toBe(7)
})

test('a limit that is lowered takes away what is above it', () => {
  expect(levelAt({ level: fullLevel(600), atMs: 0 }, 10, 0)).toBe(10 * UNITS)
})

test.each([
  [0, 600, 100],
  [UNITS - 1, 600, 1],
  [UNITS, 600, 0],
  [-599 * UNITS, 600, 60_000],
  [0, 7, 8_572],
])(
  'at level %i a bucket of %i a minute has one again after %i ms, and not one earlier',
  (level, rate, wait) => {
    expect(waitMs(level, UNITS, rate)).toBe(wait)
    expect(levelAt({ level, atMs: 0 }, rate, wait)).toBeGreaterThanOrEqual(UNITS)
    if (wait > 0) expect(levelAt({ level, atMs: 0 }, rate, wait - 1)).toBeLessThan(UNITS)
  },
)
