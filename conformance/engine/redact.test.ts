import { expect, test } from 'vitest'
import { createRedactor } from './redact.ts'

const key = 'sk-tee-v1-abcDEF_123-456'

test.each([
  ['as it is', `Bearer ${key}`],
  ['within a URL', `https://x/?key=${encodeURIComponent(key)}`],
  ['in base64', Buffer.from(key).toString('base64')],
  ['in base64url', `"${Buffer.from(key).toString('base64url')}"`],
  ['several times', `${key} ${key}`],
])('a secret %s does not show', (_, text) => {
  const shown = createRedactor([key]).redact(text)
  expect(shown).toContain('[secret]')
  expect(shown).not.toContain(key)
  expect(shown).not.toContain(Buffer.from(key).toString('base64').replace(/=+$/, ''))
})

test('a secret with quotes does not show within JSON', () => {
  const secret = 'pass"word\\1'
  expect(createRedactor([secret]).redact(JSON.stringify({ secret }))).toBe('{"secret":"[secret]"}')
})

test('a secret that holds another one is replaced whole', () => {
  expect(createRedactor(['secret-1', 'secret-1-and-more']).redact('secret-1-and-more')).toBe('[secret]')
})

test('secrets that come later are known from then on; short ones would be found in ordinary words', () => {
  const redactor = createRedactor()
  redactor.add('later-secret')
  redactor.add('abc')
  expect(redactor.redact('later-secret abc')).toBe('[secret] abc')
})

test.each([
  ['before its last character', key.slice(0, -1)],
  ['in its midst', key.slice(0, 16)],
  ['in base64', Buffer.from(key).toString('base64').slice(0, -3)],
])('a secret that was cut %s does not show', (_, cut) => {
  const { redact } = createRedactor([key])
  expect(redact(`the code is ${cut}…, and ${cut}`)).toBe('the code is [secret]…, and [secret]')
})

test('what all keys begin with tells nothing, and stays', () => {
  expect(createRedactor([key]).redact('sk-tee-v1-… and sk-tee-v1-ab')).toBe('sk-tee-v1-… and sk-tee-v1-ab')
})

test('a secret is known as a whole alone', () => {
  const { isSecret } = createRedactor([key])
  expect([key, key.slice(0, -1), `${key}x`].map(isSecret)).toEqual([true, false, false])
})
