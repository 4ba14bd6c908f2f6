import { expect, test } from 'vitest'
import { redactorOf } from './secrets.ts'

const none = { keys: {}, headers: {}, openProxy: undefined }

test.each(['apikey', 'x-apikey', 'x-api-key', 'X-Auth', 'x-gateway-token', 'Cookie', 'client_secret'])(
  'no report shows what the header %s of a target file says',
  (name) => {
    const { redact } = redactorOf({ ...none, headers: { [name]: 'of-the-gateway-1' } })
    expect(redact(`${name}: of-the-gateway-1`)).toBe(`${name}: [secret]`)
  },
)

test('the name of a provider is no secret', () => {
  const { redact } = redactorOf({ ...none, headers: { 'x-portkey-provider': 'openai' } })
  expect(redact('x-portkey-provider: openai')).toBe('x-portkey-provider: openai')
})

test('no report shows the token of the proxy’s open listener', () => {
  const openProxy = { url: 'https://proxy.example/v1', token: 'of-the-listener-1' }
  const { redact } = redactorOf({ ...none, openProxy })
  expect(redact('Bearer of-the-listener-1')).toBe('Bearer [secret]')
})
