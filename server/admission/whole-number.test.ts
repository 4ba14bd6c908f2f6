import { expect, test } from 'vitest'
import { isLong } from './whole-number.ts'

test.each([
  '0',
  '-0',
  '0.0',
  '0e99',
  '7',
  '-7',
  '7.0',
  '70e-1',
  '1e3',
  '1.5e1',
  '9223372036854775807',
  '-9223372036854775808',
  '9.223372036854775807e18',
  '92233720368547758070e-1',
  'null',
])('%s is a whole number of 64 bits', (text) => {
  expect(isLong(text)).toBe(true)
})

test.each([
  '9223372036854775808',
  '-9223372036854775809',
  '9223372036854775807.5',
  '9.223372036854775808e18',
  '1e19',
  '1e400',
  '1e-1',
  '1.5',
  '0.5',
  `1${'0'.repeat(500)}`,
  '1e999999999999',
  '"7"',
  'true',
])('%s is none', (text) => {
  expect(isLong(text)).toBe(false)
})
