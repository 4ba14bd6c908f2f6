import { expect, test } from 'vitest'
import type { Backend } from './backend.ts'
import { createHealth } from './health.ts'
import { createSelection } from './selection.ts'
import { createTally } from './tally.ts'

/** Backends whose clock stands still until it is moved. */
function world(count: number, weights: readonly number[] = []) {
  const clock = { nowMs: 0 }
  const backends = Array.from({ length: count }, (_, index): Backend => {
    const config = {
      url: `http://127.0.0.1:${index + 1}/v1`,
      model: 'tiny',
      usage: 'final',
      weight: weights[index] ?? 1,
    } as const
    return {
      name: String(index),
      config,
      health: createHealth(() => clock.nowMs),
      running: 0,
      tally: createTally(),
      dispatch() {},
    }
  })
  const selection = createSelection(backends)
  const { pick } = selection
  const tried = (...indexes: number[]) => new Set(indexes.map((index) => backends[index]!))
  const next = (...indexes: number[]) => backends.indexOf(pick(tried(...indexes))!)
  const fail = (index: number, times: number) => {
    for (let time = 0; time < times; time++) backends[index]!.health.failed()
  }
  return { clock, backends, selection, next, fail }
}

test('the least busy backend is picked, and equals take turns', () => {
  const { backends, next } = world(3)
  expect(new Set([next(), next(), next()])).toEqual(new Set([0, 1, 2]))
  backends[0]!.running = 2
  backends[1]!.running = 1
  backends[2]!.running = 2
  expect([next(), next(), next()]).toEqual([1, 1, 1])
})

test('a backend of three times the weight is given three times the requests, idle or busy', () => {
  const { backends, next } = world(2, [3, 1])
  const picked = Array.from({ length: 8 }, () => next())
  expect(picked.filter((index) => index === 0)).toHaveLength(6)
  const busy = Array.from({ length: 8 }, () => {
    const index = next()
    backends[index]!.running++
    return index
  })
  expect(busy.filter((index) => index === 0)).toHaveLength(6)
})

test('a request that one backend has refused is given to none that is to be left alone', () => {
  const { backends, clock, selection } = world(3)
  backends[1]!.health.refused(10)
  backends[2]!.health.refused(20)
  const first = new Set([backends[0]!])
  expect(selection.pickRested(first)).toBeUndefined()
  expect(selection.pick(first)).toBeDefined()
  clock.nowMs = 10_000
  expect(selection.pickRested(first)).toBe(backends[1])
  expect(selection.pickRested(first)).toBeUndefined()
})

test('a backend that was tried is not picked again, and when all were there is none', () => {
  const { next } = world(2)
  expect(next(0)).toBe(1)
  expect(next(0, 1)).toBe(-1)
})

test('two failures in a row change nothing, the third opens the circuit', () => {
  const { backends, next, fail } = world(2)
  backends[1]!.running = 9
  fail(0, 2)
  expect(next()).toBe(0)
  fail(0, 1)
  expect(next()).toBe(1)
})

test('a success between failures starts the count anew', () => {
  const { backends, next, fail } = world(2)
  backends[1]!.running = 9
  fail(0, 2)
  backends[0]!.health.connected()
  fail(0, 2)
  expect(next()).toBe(0)
})

test('an open circuit lets one probe through when it is due; a success closes it, a failure doubles the wait', () => {
  const { backends, clock, next, fail } = world(2)
  fail(0, 3)
  clock.nowMs = 999
  expect(next()).toBe(1)
  clock.nowMs = 1_000
  expect(next()).toBe(0)
  expect([next(), next()]).toEqual([1, 1])
  fail(0, 1)
  clock.nowMs = 2_999
  expect(next()).toBe(1)
  clock.nowMs = 3_000
  expect(next()).toBe(0)
  backends[0]!.health.connected()
  expect(new Set([next(), next()])).toEqual(new Set([0, 1]))
})

test('with every circuit open a request is tried all the same', () => {
  const { next, fail } = world(2)
  fail(0, 3)
  fail(1, 3)
  expect(next()).toBeGreaterThanOrEqual(0)
  expect(next(0)).toBe(1)
})

test('the wait for a probe never grows beyond half a minute', () => {
  const { clock, next, fail } = world(2)
  fail(0, 50)
  clock.nowMs = 30_000
  expect(next()).toBe(0)
})
