import fc from 'fast-check'
import { expect, test } from 'vitest'
import { grouped, inDollars, inShortDollars, parseDollars } from './money.ts'

test.each([
  [0, '$0.000000'],
  [1, '$0.000001'],
  [23, '$0.000023'],
  [4_999_977, '$4.999977'],
  [-1_500_000, '−$1.500000'],
  [1_234_567_890_123, '$1,234,567.890123'],
  [Number.MAX_SAFE_INTEGER, '$9,007,199,254.740991'],
])('%d micro-dollars are %s, to the last digit', (micros, text) => {
  expect(inDollars(micros)).toBe(text)
})

test.each([
  [2_500_000, '$2.50'],
  [5_000_000, '$5.00'],
  [4_999_970, '$4.99997'],
])('%d micro-dollars are %s in short', (micros, text) => {
  expect(inShortDollars(micros)).toBe(text)
})

test.each([0.5, Number.NaN, 2 ** 53])('%d is no amount of micro-dollars', (micros) => {
  expect(() => inDollars(micros)).toThrow(RangeError)
})

test.each([
  ['5', 5_000_000],
  ['$2.5', 2_500_000],
  ['.25', 250_000],
  ['1,000.000001', 1_000_000_001],
  ['0.000001', 1],
])('%s is read as %d micro-dollars', (text, micros) => {
  expect(parseDollars(text)).toBe(micros)
})

test.each(['', '.', '-1', '1e3', '0.0000001', '1,00', '5 dollars', '99999999999'])(
  '%j is no amount',
  (text) => {
    expect(parseDollars(text)).toBeUndefined()
  },
)

test('every amount is read as it was written', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (micros) => {
      expect(parseDollars(inDollars(micros))).toBe(micros)
      expect(parseDollars(inShortDollars(micros))).toBe(micros)
    }),
  )
})

test('thousands are grouped', () => {
  expect(grouped(1_234_567)).toBe('1,234,567')
  expect(grouped(-1_234)).toBe('-1,234')
})
