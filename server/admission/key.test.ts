import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseAuthorization } from './key.ts'

const key = `sk-tee-v1-${'a'.repeat(42)}A`
const sha256 = createHash('sha256').update(key).digest('hex')

test.each([
  ['Bearer', `Bearer ${key}`],
  ['lower case', `bearer ${key}`],
  ['any case', `BEARER ${key}`],
  ['several spaces', `Bearer   ${key}`],
])('the scheme is read without regard to case: %s', (_, header) => {
  expect(parseAuthorization(header)).toBe(sha256)
})

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['no scheme', key],
  ['another scheme', `Basic ${key}`],
  ['no key', 'Bearer '],
  ['another prefix', `Bearer sk-tee-v2-${'a'.repeat(42)}A`],
  ['42 characters', `Bearer ${key.slice(0, -1)}`],
  ['44 characters', `Bearer ${key}A`],
  ['a character outside base64url', `Bearer sk-tee-v1-${'a'.repeat(41)}+A`],
  ['a last character that no 32 bytes end in', `Bearer sk-tee-v1-${'a'.repeat(42)}B`],
  ['two keys', `Bearer ${key} ${key}`],
  ['a newline', `Bearer ${key}\n`],
])('%s is invalid_api_key, and the message tells how to send the key', (_, header) => {
  expect(() => parseAuthorization(header)).toThrow(
    expect.objectContaining({
      code: 'invalid_api_key',
      message: expect.stringContaining('`Authorization: Bearer <API_KEY>`'),
    }),
  )
})

test('the message of a refusal does not repeat the key', () => {
  expect(() => parseAuthorization(`Bearer ${key}x`)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('sk-tee') }),
  )
})
