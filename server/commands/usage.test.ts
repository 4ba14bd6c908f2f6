import { expect, test } from 'vitest'
import { parseCount, parseFuture, parseText, parseTime, parseTimes, UsageError } from './usage.ts'

test.each([
  ['2030-01-31', '2030-01-31T00:00:00.000Z'],
  ['2030-01-31T12:00Z', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31T12:00:00.5+02:00', '2030-01-31T10:00:00.500Z'],
])('%s is a time', (text, time) => {
  expect(parseTime('--expires', text)?.toISOString()).toBe(time)
})

test.each([
  '2030-02-31',
  '2030-01-01 (x)',
  '2030-01-01T00:00',
  '2030-13-01',
  '2030-01-01T25:00Z',
  'tomorrow',
  '',
  // No time of the database's: its own words would name no option.
  '0000-01-01',
  '9999-12-31T23:59-12:00',
])('"%s" is no time', (text) => {
  expect(() => parseTime('--expires', text)).toThrow(UsageError)
})

test.each(['', '  ', 'a\nb', '\u0007', 'x'.repeat(201)])('%j is no line of text', (text) => {
  expect(() => parseText('--reason', text)).toThrow(UsageError)
})

test.each(['0', '-1', '1.5', 'many', '2147483648'])('"%s" is no count', (text) => {
  expect(() => parseCount('--rpm', text)).toThrow(UsageError)
})

test('a count that is too high is told the most that it may be', () => {
  expect(parseCount('--limit', '1000', 1_000)).toBe(1_000)
  for (const text of ['0', '1001']) expect(() => parseCount('--limit', text, 1_000)).toThrow('from 1 to 1000')
})

test('a time that is over is not one to come', () => {
  expect(parseFuture('--expires', '2100-01-01').toISOString()).toBe('2100-01-01T00:00:00.000Z')
  expect(() => parseFuture('--expires', '2020-01-01')).toThrow(UsageError)
})

test('two times are a span, whose beginning lies before its end', () => {
  expect(parseTimes({ from: '2026-11-01', to: '2026-11-02' }).from?.toISOString()).toBe(
    '2026-11-01T00:00:00.000Z',
  )
  expect(() => parseTimes({ from: '2026-11-02', to: '2026-11-02' })).toThrow('--from must be before --to')
})
