import { beforeEach, expect, test } from 'vitest'
import { limits } from '#contract/limits'
import { Congestion } from './congestion.ts'

const MOST = 8_192
/** As many as may wait at most (LIM-49). */
const CEILING = 6 * limits.leastJudged
/** Fewer than half of that: the bound is lowered from what waits. */
const WAITING = 160

let nowMs: number
let congestion: Congestion

beforeEach(() => {
  nowMs = 1_000
  congestion = new Congestion({ most: () => MOST, now: () => nowMs })
})

/** Judges one request each 10 ms, each of which takes so long while so many wait. */
function judge(forMs: number, tookMs: (index: number) => number, waiting = WAITING): void {
  for (let index = 0; index < forMs / 10; index++) {
    nowMs += 10
    congestion.judged(tookMs(index), waiting)
  }
}

function settle(forMs: number, tookMs: (index: number) => number, waiting = WAITING): void {
  for (let index = 0; index < forMs / 10; index++) {
    nowMs += 10
    congestion.settled(tookMs(index), waiting)
  }
}

test('where judging takes no time, six times as many may wait as in any case, and none beyond what may be in hand', () => {
  judge(10_000, () => 2)
  expect(congestion.bound).toBe(CEILING)
  congestion = new Congestion({ most: () => 100, now: () => nowMs })
  expect(congestion.bound).toBe(100)
})

test('a queue that stands for a tenth of a second lowers the bound below what waits', () => {
  judge(1_000, () => 2)
  judge(50, () => 7)
  expect(congestion.bound).toBe(CEILING)
  judge(100, () => 7)
  expect(congestion.bound / 2).toBeLessThan(WAITING)
  expect(congestion.bound / 2).toBeGreaterThan(WAITING / 2)
})

test('the longer it takes, the further at once', () => {
  judge(1_000, () => 2)
  judge(100, () => 24)
  // Four times what may be: a quarter of what waits is let in.
  expect(congestion.bound / 2).toBeGreaterThan(0.2 * WAITING)
  expect(congestion.bound / 2).toBeLessThan(0.3 * WAITING)
})

test('so does one of answers that wait to be settled, though judging is quick', () => {
  judge(1_000, () => 2)
  settle(1_000, () => 3)
  for (let count = 0; count < 3; count++) {
    settle(100, () => 200)
    congestion.judged(2, WAITING)
  }
  expect(congestion.bound / 2).toBeLessThan(WAITING)
  settle(10_000, () => 3)
  expect(congestion.bound).toBe(CEILING)
})

test('it goes on falling for as long as the queue stands, and never below its least', () => {
  judge(1_000, () => 2)
  let waiting = WAITING
  const bounds: number[] = []
  for (let count = 0; count < 20; count++) {
    judge(200, () => 200, waiting)
    waiting = congestion.bound
    bounds.push(waiting)
  }
  expect(bounds).toEqual(bounds.toSorted((a, b) => b - a))
  expect(congestion.bound).toBe(limits.leastJudged)
})

test.each([
  ['a pause', (index: number) => (index % 10 === 9 ? 300 : 2)],
  ['one interval of which every other is a quick one', (index: number) => (index % 10 < 5 ? 300 : 2)],
  ['some who wait long beside one who does not', (index: number) => (index % 5 === 0 ? 3 : 300)],
])('%s is no queue', (_, tookMs) => {
  judge(5_000, tookMs)
  expect(congestion.bound).toBe(CEILING)
})

test('a few requests that are slow tell nothing', () => {
  judge(1_000, () => 2)
  for (let count = 0; count < 50; count++) {
    nowMs += 50
    congestion.judged(500, 100)
  }
  expect(congestion.bound).toBe(CEILING)
})

test('the bound rises again when the queue is gone, up to what it was', () => {
  judge(1_000, () => 2)
  judge(3_000, () => 200, 0)
  expect(congestion.bound).toBe(limits.leastJudged)
  judge(500, () => 2)
  const { bound } = congestion
  expect(bound).toBeGreaterThan(limits.leastJudged)
  expect(bound).toBeLessThan(CEILING)
  judge(10_000, () => 2)
  expect(congestion.bound).toBe(CEILING)
})

test('two slow moments with nothing in between are no queue that stands', () => {
  judge(1_000, () => 2)
  judge(60, () => 20, 0)
  // An interval ends just here.
  nowMs = 100_000
  congestion.look(0)
  judge(60, () => 20, 0)
  expect(congestion.bound).toBe(CEILING)
})

test('it rises as well where nobody comes any more', () => {
  judge(1_000, () => 2)
  judge(3_000, () => 200, 0)
  nowMs += 60_000
  congestion.look(0)
  expect(congestion.bound).toBe(CEILING)
})

test('while those that wait are not judged at all, nobody else is let in', () => {
  judge(1_000, () => 2)
  judge(3_000, () => 200, 0)
  nowMs += 60_000
  congestion.look(64)
  expect(congestion.bound).toBe(limits.leastJudged)
})

test('a database that is far away is not taken for a queue', () => {
  judge(10_000, () => 80)
  expect(congestion.bound).toBe(CEILING)
})

test('one that has moved away is, for half a minute or a little more', () => {
  judge(10_000, () => 2)
  judge(70_000, () => 80, 0)
  expect(congestion.bound).toBeGreaterThan(limits.leastJudged)
})

test('where the file lets as many wait as there may be, waiting refuses nobody', () => {
  congestion = new Congestion({ most: () => MOST, least: () => MOST, now: () => nowMs })
  judge(1_000, () => 2)
  judge(10_000, () => 400)
  expect(congestion.bound).toBe(MOST)
})

test('a file that lets more wait does so at once, however low the bound was', () => {
  let least: number = limits.leastJudged
  congestion = new Congestion({ most: () => MOST, least: () => least, now: () => nowMs })
  judge(1_000, () => 2)
  judge(3_000, () => 200)
  expect(congestion.bound).toBe(limits.leastJudged)
  least = MOST
  expect(congestion.bound).toBe(MOST)
})
