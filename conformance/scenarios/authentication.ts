import * as assert from '../engine/assert.ts'
import { shows } from '../engine/checks.ts'
import { expectError, expectStatus } from '../engine/expect.ts'
import { expectRefused } from '../engine/refusals.ts'
import type { Topic } from '../engine/topic.ts'

export default {
  'bearer-case': {
    rules: ['AUTH-12'],
    title: 'The word Bearer may be written in any case',
    needs: ['key'],
    operation: 'listModels',
    expect: { body: { data: { $type: 'array' } } },
    steps: [
      { key: 'none', headers: { authorization: 'bearer {{key}}' } },
      { key: 'none', headers: { authorization: 'BEARER {{key}}' } },
      { key: 'none', headers: { authorization: 'bEaReR {{key}}' } },
    ],
  },

  'cookie-or-query': {
    rules: ['AUTH-02'],
    title: 'A key in a cookie or in the query does not count',
    needs: ['key'],
    async run(context) {
      const { key } = await context.own()
      const ways = {
        'a cookie': { headers: { cookie: `api_key=${key}; authorization=${key}; session=${key}` } },
        'the query': {
          query: { api_key: key, key, access_token: key, authorization: `Bearer ${key}` },
        },
      }
      for (const [way, options] of Object.entries(ways)) {
        const { status } = await context.request('listModels', { key: null, ...options })
        // By which refusal it does not count is told of a missing key.
        assert.ok(status >= 400, `a key in ${way} is answered ${status}`)
      }
    },
  },

  expired: {
    rules: ['AUTH-07', 'KEY-14', 'ERR-10'],
    title: 'A key that has expired answers 401 api_key_expired wherever it is used',
    expect: { error: 'api_key_expired' },
    shows: ['AUTH-07', 'KEY-14', 'ERR-10'],
    steps: [
      { operation: 'listModels', key: 'expired' },
      { operation: 'getModel', params: { id: '{{model.chat}}' }, key: 'expired' },
      { operation: 'createChatCompletion', key: 'expired' },
      { operation: 'createChatCompletion', body: { stream: true }, key: 'expired' },
    ],
  },

  'malformed-key': {
    rules: ['AUTH-13'],
    title: 'Whatever has not exactly the form of a key answers 401 invalid_api_key',
    operation: 'listModels',
    expect: { error: 'invalid_api_key' },
    steps: [
      {
        name: 'a character short',
        key: 'none',
        headers: { authorization: 'Bearer sk-tee-v1-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA' },
      },
      {
        name: 'a character more',
        key: 'none',
        headers: { authorization: 'Bearer sk-tee-v1-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA' },
      },
      {
        name: 'another alphabet',
        key: 'none',
        headers: { authorization: 'Bearer sk-tee-v1-BBBBBBBBBBBBBBBBBBBBB+BBBBBBBBBBBBBBBBBBBBA' },
      },
      {
        name: 'another prefix',
        key: 'none',
        headers: { authorization: 'Bearer sk-tee-v2-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA' },
      },
      {
        name: 'a prefix in capitals',
        key: 'none',
        headers: { authorization: 'Bearer SK-TEE-V1-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA' },
      },
      { name: 'no key', key: 'none', headers: { authorization: 'Bearer' } },
      {
        name: 'a good key with something behind it',
        key: 'none',
        headers: { authorization: 'Bearer {{key}} more' },
      },
    ],
  },

  message: {
    rules: ['AUTH-05'],
    title: 'The message of a 401 tells the caller to send the key as a bearer token',
    expect: { error: 'invalid_api_key', message: 'bearer' },
    shows: { message: ['AUTH-05'] },
    steps: [
      { name: 'no key', operation: 'listModels', key: 'none' },
      {
        name: 'a wrong key',
        operation: 'createChatCompletion',
        key: 'none',
        headers: { authorization: 'Bearer sk-tee-v1-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA' },
      },
    ],
  },

  'missing-key': {
    rules: ['AUTH-01', 'AUTH-03', 'ERR-08', 'HDR-01'],
    title: 'A request without a key answers 401 invalid_api_key on every path that a key protects',
    expect: { error: 'invalid_api_key' },
    shows: ['AUTH-01', 'AUTH-03', 'ERR-08', 'HDR-01'],
    steps: [
      { name: 'the list of models', operation: 'listModels', key: 'none' },
      { name: 'one model', operation: 'getModel', params: { id: '{{model.chat}}' }, key: 'none' },
      {
        name: 'a generation',
        operation: 'getGeneration',
        query: { id: 'gen-01ARZ3NDEKTSV4RRFFQ69G5FAV' },
        key: 'none',
      },
      { name: 'a chat', operation: 'createChatCompletion', key: 'none' },
    ],
  },

  'nearly-right-key': {
    rules: ['AUTH-03'],
    title: 'A good key with a character more, fewer or other answers 401 invalid_api_key',
    needs: ['key'],
    async run(context) {
      const { key } = await context.own()
      const others = [`${key}A`, `${key}x`, `A${key}`, key.slice(0, -1), otherEnd(key)]
      for (const authorization of others.map((other) => `Bearer ${other}`)) {
        const options = { key: null, headers: { authorization } }
        expectError(await context.request('listModels', options), 'invalid_api_key')
        expectError(await context.chat({}, options), 'invalid_api_key')
      }
    },
  },

  'other-scheme': {
    rules: ['AUTH-01', 'HDR-01'],
    title: 'A good key that does not come as a bearer token answers 401 invalid_api_key',
    needs: ['key'],
    operation: 'listModels',
    expect: { error: 'invalid_api_key' },
    shows: ['AUTH-01', 'HDR-01'],
    steps: [
      { name: 'another scheme', key: 'none', headers: { authorization: 'Basic {{key}}' } },
      { name: 'no scheme', key: 'none', headers: { authorization: '{{key}}' } },
      { name: 'another header', key: 'none', headers: { 'x-api-key': '{{key}}', 'api-key': '{{key}}' } },
    ],
  },

  revoked: {
    rules: ['AUTH-06', 'KEY-13', 'ERR-09'],
    title: 'A key that was revoked answers 401 api_key_revoked wherever it is used',
    expect: { error: 'api_key_revoked' },
    shows: ['AUTH-06', 'KEY-13', 'ERR-09'],
    steps: [
      { operation: 'listModels', key: 'revoked' },
      { operation: 'getModel', params: { id: '{{model.chat}}' }, key: 'revoked' },
      { operation: 'createChatCompletion', key: 'revoked' },
      { operation: 'createChatCompletion', body: { stream: true }, key: 'revoked' },
    ],
  },

  'revoked-between-requests': {
    rules: ['AUTH-16'],
    title: 'A key is refused from the request after its revocation on, on every path',
    needs: ['workspace', 'revokeKey'],
    async run(context) {
      const account = await context.own()
      shows()
      expectStatus(await context.request('listModels'), 200)
      expectStatus(await context.chat(), 200)
      await context.hooks('revokeKey', { id: account.keyId ?? '' })
      const query = { id: 'gen-01ARZ3NDEKTSV4RRFFQ69G5FAV' }
      shows('AUTH-16')
      // What it is told other scenarios show.
      expectRefused(await context.chat())
      expectRefused(await context.chat({ stream: true }))
      expectRefused(await context.request('listModels'))
      const { status } = await context.request('getGeneration', { query })
      assert.ok(status === 401 || status === 403, `a look-up is answered ${status}`)
    },
  },

  'wrong-key': {
    rules: ['AUTH-03'],
    title: 'A well-formed key of nobody answers 401 invalid_api_key',
    expect: { error: 'invalid_api_key' },
    steps: [
      {
        operation: 'listModels',
        key: 'none',
        headers: { authorization: 'Bearer sk-tee-v1-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA' },
      },
      {
        operation: 'createChatCompletion',
        key: 'none',
        headers: { authorization: 'Bearer sk-tee-v1-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA' },
      },
    ],
  },
} satisfies Topic

/** A key of the same form whose last character is another one. */
function otherEnd(key: string): string {
  return `${key.slice(0, -1)}${key.endsWith('A') ? 'E' : 'A'}`
}
