import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDer } from './der.ts'
import * as asn1 from './testing/asn1.ts'
import { goodChain } from './testing/chains.ts'

const der = (hex: string) => isDer(Buffer.from(hex, 'hex'))

test.each(goodChain().certificates.map((bytes) => bytes.toString('hex')))(
  'a certificate is DER: %.16s…',
  (hex) => {
    expect(der(hex)).toBe(true)
  },
)

test.each([
  ['nothing', ''],
  ['a tag alone', '30'],
  ['a byte too many', '300000'],
  ['a byte too few', '3003020101'.slice(0, -2)],
  ['an indefinite length', '3080020101' + '0000'],
  ['a length in a longer form than needed', '308103020101'],
  ['a length with a leading zero', `3082000${'3'}020101`],
  ['a length beyond all reason', '3084ffffffff'],
  ['a child that leaves its parent', '3003020501'],
  ['a string put together from pieces', '24030401aa'],
  ['a sequence that says it is primitive', '1003020101'],
  ['a true that is not ff', '010101'],
  ['bits without their count', '0300'],
  ['bits with more padding than a byte', '03020804'],
  ['bits with padding that is not zero', '03020504'],
  ['padding without bits', '030101'],
  ['a boolean of two bytes', '0102ffff'],
  ['a tag of several bytes', '1f8101' + '00'],
])('%s is not DER', (_, hex) => {
  expect(der(hex)).toBe(false)
})

test('nesting is bounded', () => {
  const nested = (depth: number) =>
    Array.from({ length: depth }).reduce<Buffer>((inner) => asn1.sequence(inner), Buffer.alloc(0))
  expect(isDer(nested(32))).toBe(true)
  expect(isDer(nested(33))).toBe(false)
})

test('a certificate with any one byte left out is not DER', () => {
  const [leaf = Buffer.alloc(0)] = goodChain().certificates
  fc.assert(
    fc.property(fc.nat(leaf.length - 1), (at) => {
      expect(isDer(Buffer.concat([leaf.subarray(0, at), leaf.subarray(at + 1)]))).toBe(false)
    }),
  )
})
