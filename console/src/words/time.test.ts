import { expect, test } from 'vitest'
import { fromInputTime, inDay, inFullTime, inLength, inRelativeTime, inRowTime, toInputTime } from './time.ts'

const berlin = { locale: 'en-GB', timeZone: 'Europe/Berlin' }
const time = '2026-03-29T00:59:59Z'

test('times are told in the reader’s own zone, which summer moves', () => {
  expect(inFullTime(time, berlin)).toBe('29 Mar 2026, 01:59:59 CET')
  expect(inFullTime('2026-03-29T01:00:00Z', berlin)).toBe('29 Mar 2026, 03:00:00 CEST')
})

test('a row of a list has day and second', () => {
  expect(inRowTime(time, berlin)).toBe('29 Mar, 01:59:59')
  expect(inDay(time, berlin)).toBe('29 Mar 2026')
})

test.each([
  [0, 'now'],
  [-59, '59 seconds ago'],
  [-61, '1 minute ago'],
  [-7_200, '2 hours ago'],
  [86_400 * 3, 'in 3 days'],
  [-86_400 * 400, 'last year'],
])('%d seconds from now is %s', (seconds, words) => {
  const now = new Date('2026-06-01T12:00:00Z')
  expect(inRelativeTime(new Date(now.getTime() + seconds * 1_000), now, { locale: 'en' })).toBe(words)
})

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.00 s'],
  [1_244, '1.24 s'],
  [59_996, '1 min 00 s'],
  [125_000, '2 min 05 s'],
])('%d milliseconds are %s', (milliseconds, words) => {
  expect(inLength(milliseconds)).toBe(words)
})

test('what a time input holds is the same minute on the wire', () => {
  expect(fromInputTime(toInputTime('2026-03-01T12:34:00.000Z'))).toBe('2026-03-01T12:34:00.000Z')
  expect([toInputTime(null), fromInputTime('')]).toEqual(['', undefined])
})
