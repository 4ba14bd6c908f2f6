import { expect, test } from 'vitest'
import { checkFreshness, type FreshnessExpectation } from './freshness.ts'
import { NOW } from './testing/chains.ts'

const DAY_MS = 86_400_000
const base = { now: NOW, maxBundleAgeMs: DAY_MS }
const at = (offsetMs: number) => new Date(NOW.getTime() + offsetMs)

test.each<[string, number, FreshnessExpectation]>([
  ['as old as is accepted, to the millisecond', -DAY_MS, base],
  ['just now', 0, base],
  ['60 seconds in the future', 60_000, base],
  ['the newest that was accepted, once more', -5_000, { ...base, newestIssuedAt: at(-5_000) }],
])('a bundle signed %s passes', (_, offsetMs, expected) => {
  expect(() => checkFreshness(at(offsetMs), expected)).not.toThrow()
})

test.each<[string, number, FreshnessExpectation, string]>([
  ['a millisecond older than is accepted', -DAY_MS - 1, base, 'bundle_stale'],
  ['60.001 seconds in the future', 60_001, base, 'issued_in_future'],
  [
    'a millisecond before the newest',
    -5_001,
    { ...base, newestIssuedAt: at(-5_000) },
    'issued_at_rolled_back',
  ],
  ['a day ago, with a limit of an hour', -DAY_MS, { ...base, maxBundleAgeMs: 3_600_000 }, 'bundle_stale'],
  ['now, under a clock that is broken', 0, { ...base, now: new Date(Number.NaN) }, 'bundle_stale'],
  ['now, under a limit that is no number', 0, { ...base, maxBundleAgeMs: Number.NaN }, 'bundle_stale'],
])('a bundle signed %s is refused', (_, offsetMs, expected, reason) => {
  expect(() => checkFreshness(at(offsetMs), expected)).toThrow(
    expect.objectContaining({ stage: 'jws', reason }),
  )
})
