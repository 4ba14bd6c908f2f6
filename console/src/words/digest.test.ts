import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromBase64Url, inHex, inWireForm, toHex } from './digest.ts'

test('a digest is shown to people in hexadecimal digits', () => {
  expect(inHex('sha256/47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU')).toBe(
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  )
})

test.each(['', 'sha256/short', 'md5/47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'])(
  '%j stays as it is',
  (text) => {
    expect(inHex(text)).toBe(text)
  },
)

test('both forms say the same of any digest', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (digest) => {
      const wire = inWireForm(digest)
      expect(inHex(wire)).toBe(`sha256:${toHex(digest)}`)
      expect(fromBase64Url(wire.slice(7))).toEqual(digest)
      expect(wire).toBe(`sha256/${Buffer.from(digest).toString('base64url')}`)
    }),
  )
})

test('what is no base64url is refused', () => {
  expect(() => fromBase64Url('a+b/')).toThrow(TypeError)
})
