import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDollars, parseDollars } from './dollars.ts'
import { UsageError } from './usage.ts'

test.each([
  ['5', 5_000_000n],
  ['5.00', 5_000_000n],
  ['0.000001', 1n],
  ['-12.5', -12_500_000n],
])('%s dollars are %s micro-dollars', (text, micros) => {
  expect(parseDollars('amount', text)).toBe(micros)
})

test.each(['', '1.0000001', '1e3', '.5', '5.', '$5', '1,000', 'NaN', '--1'])(
  '"%s" is not an amount',
  (text) => {
    expect(() => parseDollars('amount', text)).toThrow(UsageError)
  },
)

test('what is printed parses to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), (micros) => {
      const text = formatDollars(micros)
      expect(text).toMatch(/^-?\$[\d,]+\.\d{2,6}$/)
      expect(parseDollars('amount', text.replace(/[$,]/g, ''))).toBe(micros)
    }),
  )
})
