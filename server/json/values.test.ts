import { expect, test } from 'vitest'
import { hasMoreValues } from './values.ts'

test.each([
  ['objects', '[{},{},{}]', 6],
  ['numbers', '[1,2,3]', 3],
  ['members', '{"a":1,"b":[true]}', 3],
  ['what stands in a string', '["{,[,\\",{", ",,,,"]', 2],
])('the values of JSON text are counted: %s', (_, text, count) => {
  const bytes = Buffer.from(text)
  expect(hasMoreValues(bytes, count)).toBe(false)
  expect(hasMoreValues(bytes, count - 1)).toBe(true)
})

test('a text that is broken behind too many values has too many', () => {
  expect(hasMoreValues(Buffer.from('[1,2,3,4,"'), 3)).toBe(true)
})

test('a string without an end hides what stands behind it, from the parser as well', () => {
  expect(hasMoreValues(Buffer.from('[1,"2,3,4,5,6'), 3)).toBe(false)
})
