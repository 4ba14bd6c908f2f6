import { expect, test } from 'vitest'
import { ParseBudget } from './parse-budget.ts'

test('ten milliseconds may be spent at once, and then a tenth of all time', () => {
  let nowMs = 0
  const budget = new ParseBudget(() => nowMs)
  const spend = (ms: number): number =>
    budget.spend(() => {
      nowMs += ms
    })
  expect(spend(4)).toBe(4)
  expect(budget.waitMs).toBe(0)
  // Of 6 ms, and 0.8 that came back meanwhile.
  spend(8)
  expect(budget.waitMs).toBeCloseTo((1 - (6 + 0.8 - 8)) / 0.1)
  nowMs += budget.waitMs
  expect(budget.waitMs).toBe(0)
  nowMs += 1_000_000
  spend(11)
  expect(budget.waitMs).toBeGreaterThan(0)
})
