import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openApiKey, openUnderAny, sealApiKey } from './api-key.ts'

const secret = randomBytes(32)

test('a stored key comes back, and two of the same look different', () => {
  const [one, other] = [sealApiKey('vendor-key', 'ups_1', secret), sealApiKey('vendor-key', 'ups_1', secret)]
  expect(one.equals(other)).toBe(false)
  expect(one.includes('vendor-key')).toBe(false)
  expect([one, other].map((sealed) => openApiKey(sealed, 'ups_1', secret))).toEqual([
    'vendor-key',
    'vendor-key',
  ])
})

test('it cannot be read as another upstream’s, under another secret, or changed in one bit', () => {
  const sealed = sealApiKey('vendor-key', 'ups_1', secret)
  expect(() => openApiKey(sealed, 'ups_2', secret)).toThrow()
  expect(() => openApiKey(sealed, 'ups_1', randomBytes(32))).toThrow()
  expect(() => openApiKey(sealed.subarray(0, -1), 'ups_1', secret)).toThrow()
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed)
    changed[index]! ^= 1
    expect(() => openApiKey(changed, 'ups_1', secret)).toThrow()
  }
})

test('it is read under whichever of several secrets it was stored, and under no other', () => {
  const [newest, older] = [randomBytes(32), randomBytes(32)]
  for (const under of [newest, older, secret]) {
    expect(openUnderAny(sealApiKey('vendor-key', 'ups_1', under), 'ups_1', [newest, older, secret])).toBe(
      'vendor-key',
    )
  }
  expect(() => openUnderAny(sealApiKey('vendor-key', 'ups_1', secret), 'ups_1', [newest, older])).toThrow()
})
