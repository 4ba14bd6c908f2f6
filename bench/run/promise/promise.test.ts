import { expect, test } from 'vitest'
import { resultsWith } from '../testing.ts'
import { judge, verdicts } from './check.ts'
import { difference, ratio } from './rows.ts'

const atMost = { gate: 2.5, stretch: 1.8, isAtMost: true }
const atLeast = { gate: 0.3, stretch: 0.5, isAtMost: false }

test.each([
  [atMost, [1.7, 1.8, 1.9], 'aim reached'],
  [atMost, [2.4, 2.5, 2.6], 'kept'],
  [atMost, [2.4, 2.6, 2.8], 'within the noise'],
  [atMost, [4, 4.1, 4.2], 'BROKEN'],
  [atLeast, [0.5, 0.6], 'aim reached'],
  [atLeast, [0.3], 'kept'],
  [atLeast, [0.2, 0.28, 0.31], 'within the noise'],
  [atLeast, [0.1, 0.2], 'BROKEN'],
  [atLeast, [], 'not measured'],
  [atLeast, undefined, 'not measured'],
])('of %j, rounds of %j are: %s', (row, values, outcome) => {
  expect(judge(row, values)).toBe(outcome)
})

test('a run is held to every line that it has measured', () => {
  const figures = (cpuMicros: number) => ({ cpuMicros: [cpuMicros, cpuMicros] })
  const results = resultsWith({ 'requests-64': { router: figures(100), forwarder: figures(20) } })
  const found = verdicts(results).filter(({ outcome }) => outcome !== 'not measured')
  expect(found).toEqual([expect.objectContaining({ values: [5, 5], outcome: 'BROKEN' })])
})

test('what either side lacks is compared with nothing', () => {
  const results = resultsWith({ one: { a: { ms: [3, 5] }, b: { ms: [1, 2] } } })
  expect(difference(['one', 'a', 'ms'], ['one', 'b', 'ms'])(results)).toEqual([2, 3])
  expect(ratio(['one', 'a', 'ms'], ['two', 'a', 'ms'])(results)).toBeUndefined()
})

test("a stream's memory at the router reaches its aim at the forwarder's of the same run, and not without one", () => {
  const outcomeOf = (memory: Parameters<typeof resultsWith>[0][string]) =>
    verdicts(resultsWith({ memory })).find(({ values }) => values !== undefined)?.outcome
  const router = { kb5000: [30] }
  expect(outcomeOf({ router, forwarder: { kb5000: [31] } })).toBe('aim reached')
  expect(outcomeOf({ router, forwarder: { kb5000: [29] } })).toBe('kept')
  expect(outcomeOf({ router })).toBe('kept')
})
