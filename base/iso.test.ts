import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoTime } from './iso.ts'

const MOST_MS = 8.64e15

test('any moment is written as a Date writes it, in whichever order they come', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -MOST_MS, max: MOST_MS }), { maxLength: 200 }), (moments) => {
      expect(moments.map(isoTime)).toEqual(moments.map((ms) => new Date(ms).toISOString()))
    }),
  )
})

test('those of one second, of both sides of 1970 and with parts of a millisecond too', () => {
  const near = [-1_001, -1_000, -999, -1, 0, 1, 9, 10, 99, 100, 999, 1_000, 0.9, 1_790_000_000_123.75]
  expect(near.map(isoTime)).toEqual(near.map((ms) => new Date(Math.floor(ms)).toISOString()))
})

test('what is no moment is refused as a Date refuses it', () => {
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, MOST_MS + 1_000]) {
    expect(() => isoTime(ms)).toThrow(RangeError)
  }
})
