import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isInvitation } from '#contract/validators/invitation'
import { createCode, formatCode, parseCode } from './code.ts'

test('a code has twelve characters of the alphabet, in three groups', () => {
  const codes = Array.from({ length: 200 }, createCode)
  for (const code of codes) {
    expect(code).toMatch(/^[23456789ABCDEFGHJKMNPQRSTVWXYZ]{12}$/)
    const invitation = { object: 'invitation', grant_micros: 1, description: 'Welcome', expires_at: null }
    expect(isInvitation({ ...invitation, code: formatCode(code) })).toBe(true)
  }
  expect(new Set(codes).size).toBe(codes.length)
  expect(new Set(codes.join('')).size).toBe(30)
})

test('case and separators do not matter', () => {
  const code = '23456789ABCD'
  for (const spelt of [
    '2345-6789-ABCD',
    '2345 6789 abcd',
    '23456789abcd',
    ' 2345_6789.aBcD ',
    '2-3-456789ABCD',
  ]) {
    expect(parseCode(spelt)).toBe(code)
  }
  fc.assert(
    fc.property(fc.infiniteStream(fc.constantFrom('', '-', ' ', '.', '_')), (separators) => {
      const made = createCode()
      const spelt = [...made]
        .map((character) => `${separators.next().value}${character.toLowerCase()}`)
        .join('')
      expect(parseCode(spelt)).toBe(made)
    }),
  )
})

test.each(['', '23456789ABC', '23456789ABCDE', '23456789ABCO', '03456789ABCD', 'äöüßäöüßäöüß'])(
  '%j is no code',
  (text) => {
    expect(parseCode(text)).toBeUndefined()
  },
)
