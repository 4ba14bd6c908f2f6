import { expect, test } from 'vitest'
import { parseInstant } from './instant.ts'

test.each([
  ['2026-06-01T12:00:00Z', 1_780_315_200_000],
  ['2026-06-01T12:00:00.25Z', 1_780_315_200_250],
  ['2026-06-01T12:00:00.123456789Z', 1_780_315_200_123],
  ['2026-06-01T14:00:00+02:00', 1_780_315_200_000],
])('%s is a point in time', (text, milliseconds) => {
  expect(parseInstant(text).getTime()).toBe(milliseconds)
})

test.each([
  '',
  '2026-06-01',
  '2026-06-01T12:00:00',
  '2026-06-01 12:00:00Z',
  '2026-13-01T12:00:00Z',
  '2026-06-01T12:00:60Z',
  '1780315200',
  'Mon, 01 Jun 2026 12:00:00 GMT',
])('%s is not', (text) => {
  expect(() => parseInstant(text)).toThrow(TypeError)
})
