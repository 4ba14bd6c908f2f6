import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOf, parseDigest, toHex } from './digest.ts'

const EMPTY_HEX = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const EMPTY_WIRE = 'sha256/47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'
const sha256 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes))

test('the digest of no bytes is the one that everybody knows', () => {
  expect(digestOf(new Uint8Array())).toBe(EMPTY_WIRE)
  expect(digestOf('')).toBe(EMPTY_WIRE)
})

test.each([
  ['wire form', EMPTY_WIRE],
  ['wire form with its padding', `${EMPTY_WIRE}=`],
  ['hex, as people are shown it', `sha256:${EMPTY_HEX}`],
  ['hex behind a slash', `sha256/${EMPTY_HEX}`],
  ['bare hex', EMPTY_HEX],
  ['hex in capitals', EMPTY_HEX.toUpperCase()],
])('a digest is read from %s and becomes wire form', (_, text) => {
  expect(parseDigest(text)).toBe(EMPTY_WIRE)
})

test.each([
  ['nothing', ''],
  ['two signs of padding', `${EMPTY_WIRE}==`],
  ['a stray last bit', EMPTY_WIRE.replace(/U$/, 'V')],
  ['base64 that is not base64url', EMPTY_WIRE.replace('-', '+')],
  ['wire form behind a colon', EMPTY_WIRE.replace('/', ':')],
  ['a character less', EMPTY_WIRE.slice(0, -1)],
  ['hex of odd length', EMPTY_HEX.slice(1)],
  ['hex that is padded', `${EMPTY_HEX}=`],
  ['another hash', `sha512:${EMPTY_HEX}`],
  ['a capital prefix', `SHA256:${EMPTY_HEX}`],
  ['white space around it', ` ${EMPTY_HEX}`],
  ['a line break behind it', `${EMPTY_WIRE}\n`],
])('%s is no digest', (_, text) => {
  expect(() => parseDigest(text)).toThrow(TypeError)
})

test('every spelling of the same bytes is the same digest, and hex leads back', () => {
  fc.assert(
    fc.property(sha256, (bytes) => {
      const wire = parseDigest(bytes.toString('hex'))
      expect(parseDigest(`sha256/${bytes.toString('base64url')}`)).toBe(wire)
      expect(parseDigest(`sha256/${bytes.toString('base64url')}=`)).toBe(wire)
      expect(parseDigest(toHex(wire))).toBe(wire)
      expect(toHex(wire)).toBe(`sha256:${bytes.toString('hex')}`)
    }),
  )
})

test('of the 64 last characters that base64url could have, a digest has one of 16', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const read = [...alphabet].filter((last) => {
    try {
      return parseDigest(`sha256/${'A'.repeat(42)}${last}`)
    } catch {
      return false
    }
  })
  expect(read.join('')).toBe('AEIMQUYcgkosw048')
})
