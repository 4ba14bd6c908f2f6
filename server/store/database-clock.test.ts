import { expect, test } from 'vitest'
import { createDatabaseClock } from './database-clock.ts'

const NOON = new Date('2026-01-01T12:00:00.000Z')
const after = (ms: number) => new Date(NOON.getTime() + ms)

test('a clock that was never looked at tells nothing', () => {
  expect(createDatabaseClock().earliest(5)).toBeUndefined()
})

test('whenever the database read it between question and answer, it shows no less than is told', () => {
  for (const readAt of [100, 103, 110]) {
    const clock = createDatabaseClock()
    clock.note(NOON, 100, 110)
    const shows = after(1_000 - readAt)
    expect(clock.earliest(1_000)!.getTime()).toBeLessThanOrEqual(shows.getTime())
    expect(clock.earliest(1_000)).toEqual(after(890))
  }
})

test('an answer that took long leaves what was known better, until that is old', () => {
  const clock = createDatabaseClock()
  clock.note(NOON, 0, 2)
  clock.note(after(10), 10, 7_000)
  expect(clock.earliest(8_000)).toEqual(after(7_998))
  clock.note(after(9_000), 9_000, 9_005)
  expect(clock.earliest(10_000)).toEqual(after(9_995))
})

test('a clock that was set is believed with the next answer', () => {
  const clock = createDatabaseClock()
  clock.note(NOON, 0, 2)
  clock.note(after(-60_000), 5_000, 5_002)
  expect(clock.earliest(5_002)).toEqual(after(-60_000))
})
