import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEmailAddress } from './email-address.ts'

test.each([
  ['ann@example.com', 'ann@example.com'],
  ['  Ann.Lee+router@Example.COM\n', 'ann.lee+router@example.com'],
  ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
  ['ann@EXAMPLE。com', 'ann@example.com'],
  ['ann@ｅｘａｍｐｌｅ.com', 'ann@example.com'],
  ['ann@localhost', 'ann@localhost'],
  ["o'neill@example.com", "o'neill@example.com"],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
])('%j is the address %s', (typed, address) => {
  expect(parseEmailAddress(typed)).toBe(address)
})

test.each([
  '',
  'ann',
  '@example.com',
  'ann@',
  'ann@@example.com',
  'ann@example.com@example.org',
  'ann lee@example.com',
  '"ann lee"@example.com',
  'ann@example.com, bob@example.com',
  'Ann <ann@example.com>',
  'ann@example.com\r\nBcc: bob@example.com',
  'ann\u0000@example.com',
  'a..b@example.com',
  '.ann@example.com',
  'ann@example..com',
  'ann@-example.com',
  'ann@example.com/path',
  'ann@example.com:25',
  'ann@[127.0.0.1]',
  'ann@127.0.0.1',
  'ann@0x7f.1',
  // A Kelvin sign, which is a k once it is small; and a small letter of another alphabet that looks like an a.
  '\u212Aim@example.com',
  '\u0430nn@example.com',
  `${'a'.repeat(65)}@example.com`,
  `${'a'.repeat(320)}@example.com`,
  `ann@${`${'a'.repeat(60)}.`.repeat(5)}com`,
])('%j is no address', (typed) => {
  expect(parseEmailAddress(typed)).toBeUndefined()
})

test('an address is its own form, and any other text is harmless in a header', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress()), (typed) => {
      const address = parseEmailAddress(typed)
      if (address === undefined) return
      expect(parseEmailAddress(address)).toBe(address)
      expect(address).toMatch(/^[\x21-\x7e]+$/)
      expect(address).not.toMatch(/[<>,;:"()\\]/)
    }),
  )
})
