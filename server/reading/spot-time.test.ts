import { expect, test } from 'vitest'
import { SpotTime } from './spot-time.ts'

const LARGE = 65_536

function world() {
  let nowMs = 0
  const time = new SpotTime(() => nowMs)
  return {
    time,
    wait(ms: number) {
      nowMs += ms
    },
    /** Reads bodies that take so long each until one may not be read on the spot, and tells how many could. */
    readAll(owner: string, tookMs: number, bytes = LARGE): number {
      for (let count = 0; count < 1_000; count++) {
        const reading = time.begin(owner, bytes)
        if (!reading.isLeft) return count
        reading.run(() => {
          nowMs += tookMs
        })
      }
      return Number.POSITIVE_INFINITY
    },
  }
}

test('a workspace has 10 ms at once, and then a twentieth of the time', () => {
  const { readAll, wait } = world()
  // Each takes 1 ms beyond what handing it over takes, and a twentieth of its own time comes back.
  expect(readAll('a', 1.2)).toBe(11)
  wait(60_000)
  expect(readAll('a', 1.2)).toBe(11)
  wait(100)
  expect(readAll('a', 1.2)).toBe(5)
})

test('what one workspace has taken is not taken from another', () => {
  const { readAll } = world()
  readAll('a', 10)
  expect(readAll('a', 10)).toBe(0)
  expect(readAll('b', 10)).toBe(2)
})

test('what takes no longer than handing over costs nothing, all steps of a body together', () => {
  const { time, wait, readAll } = world()
  expect(readAll('a', 0.2)).toBe(Number.POSITIVE_INFINITY)
  const reading = time.begin('a', LARGE)
  for (let step = 0; step < 60; step++) reading.run(() => wait(1))
  expect(time.begin('a', LARGE).isLeft).toBe(false)
})

test('small bodies are read whatever their workspace has taken', () => {
  const { readAll, time } = world()
  readAll('a', 100)
  expect(time.begin('a', 8_193).isLeft).toBe(false)
  expect(time.begin('a', 8_192).isLeft).toBe(true)
  expect(time.begin('a', 8_192).run(() => 'read')).toBe('read')
  expect(readAll('b', 100, 8_192)).toBe(Number.POSITIVE_INFINITY)
})

test('what fails is paid for as well', () => {
  const { time, wait } = world()
  const fail = () => {
    wait(100)
    throw new Error('malformed')
  }
  expect(() => time.begin('a', LARGE).run(fail)).toThrow('malformed')
  expect(time.begin('a', LARGE).isLeft).toBe(false)
})

test('who owes something is remembered among any number of others', () => {
  const { readAll, wait } = world()
  readAll('a', 100_000)
  for (let other = 0; other < 3_000; other++) {
    readAll(`other-${other}`, 60)
    wait(100)
  }
  // They took 480 seconds, of which a twentieth came back.
  expect(readAll('a', 1)).toBe(0)
})

test('bodies that began while time was left do not have it once others have taken it', () => {
  const { time, readAll, wait } = world()
  const begun = Array.from({ length: 100 }, () => time.begin('a', LARGE))
  expect(begun.every(({ isLeft }) => isLeft)).toBe(true)
  readAll('a', 10)
  expect(begun.some(({ isLeft }) => isLeft)).toBe(false)
  wait(1_000)
  expect(begun.every(({ isLeft }) => isLeft)).toBe(true)
})
