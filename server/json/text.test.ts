import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textBytes } from './text.ts'

const units = fc.constantFrom(
  'a',
  'ü',
  '🙂',
  '\\n',
  '\\"',
  '\\\\',
  '\\u0041',
  '\\u00fc',
  '\\u20AC',
  '\\ud83d',
  '\\ude42',
)

test('a text has the bytes that JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: units }), fc.string(), (text, before) => {
      const bytes = Buffer.from(`${before}"${text}" \\u0041`)
      const start = Buffer.byteLength(before)
      const end = start + Buffer.byteLength(text) + 2
      expect(textBytes(bytes, start, end)).toBe(Buffer.byteLength(JSON.parse(`"${text}"`) as string))
    }),
    { numRuns: 2_000 },
  )
})
