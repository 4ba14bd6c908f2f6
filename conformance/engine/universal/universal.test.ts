import { expect, test } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { checkExchange } from './universal.ts'
import type { Circumstances } from './violation.ts'

const circumstances: Circumstances = { subject: 'router', operation: 'listModels', canary: 'canary-1' }

const unauthorized = { error: { message: 'No.', type: 'authentication_error', code: 'invalid_api_key' } }

interface Change extends Partial<Omit<Exchange, 'body'>> {
  readonly json?: unknown
  readonly text?: string
}

function exchange({ json = unauthorized, text = JSON.stringify(json), ...rest }: Change = {}): Exchange {
  const body = Buffer.from(text)
  return {
    sent: { method: 'GET', url: 'http://x/v1/models', headers: {}, body: Buffer.alloc(0) },
    status: 401,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'req-1' },
    reads: [{ atMs: 1, bytes: body }],
    body,
    ending: 'complete',
    fault: undefined,
    headMs: 1,
    endMs: 1,
    leaf: undefined,
    ...rest,
  }
}

function error(change: object): object {
  return { error: { ...unauthorized.error, ...change } }
}

test('a proper refusal has nothing against it', () => {
  expect(checkExchange(exchange(), circumstances)).toEqual([])
})

test.each<[string, Exchange, string, RegExp]>([
  ['a status that is not declared', exchange({ status: 418 }), 'given', /418 is not declared for listModels/],
  ['no request id', exchange({ headers: { 'content-type': 'application/json' } }), 'chosen', /X-Request-Id/],
  [
    'another content type',
    exchange({ headers: { 'content-type': 'text/html', 'x-request-id': '1' } }),
    'given',
    /text\/html/,
  ],
  ['no content type', exchange({ headers: { 'x-request-id': '1' } }), 'given', /content type/],
  ['a body that is no JSON', exchange({ text: '<html>' }), 'given', /not JSON/],
  ['no error object', exchange({ json: { message: 'No.' } }), 'given', /not as the contract says/],
  [
    'a code with another status',
    exchange({ json: error({ code: 'not_found' }) }),
    'given',
    /came with status 401/,
  ],
  ['a code with another type', exchange({ json: error({ type: 'server_error' }) }), 'given', /with the type/],
  ['an unknown code', exchange({ json: error({ code: 'nope' }) }), 'chosen', /not registered/],
  [
    'the prompt in an error',
    exchange({ json: error({ message: 'about canary-1' }) }),
    'given',
    /text of the prompt/,
  ],
])('%s is a violation', (_, found, origin, problem) => {
  expect(checkExchange(found, circumstances)).toContainEqual({
    origin,
    problem: expect.stringMatching(problem),
  })
})

test('a 429 must carry its headers', () => {
  const body = { error: { message: 'No.', type: 'rate_limit_error', code: 'rate_limit_exceeded' } }
  const problems = checkExchange(exchange({ status: 429, json: body }), {
    ...circumstances,
    operation: 'getEvidence',
  })
  expect(problems).toHaveLength(5)
  expect(problems[0]?.problem).toBe('the code rate_limit_exceeded came without Retry-After')
})

test('an answer of the console may not be stored, and may have no body', () => {
  const headers = { 'content-type': 'application/json', 'x-request-id': '1' }
  const asked = { ...circumstances, subject: 'console', operation: undefined } as const
  const listing = { ...asked, consoleOperation: 'listKeys' } as const
  const stored = checkExchange(exchange({ status: 200, json: { data: [], next: null }, headers }), listing)
  expect(stored).toEqual([{ origin: 'chosen', problem: 'an answer to listKeys may be stored' }])
  const done = exchange({
    status: 204,
    text: '',
    headers: { 'x-request-id': '1', 'cache-control': 'no-store' },
  })
  expect(checkExchange(done, { ...asked, consoleOperation: 'endSession' })).toEqual([])
  expect(checkExchange(done, listing)).toHaveLength(1)
})

test('the proxy may answer statuses of its own', () => {
  const body = {
    error: { message: 'No.', type: 'proxy_error', code: 'attestation_failed' },
    stage: 'tls-fingerprint',
    reason: 'leaf_mismatch',
  }
  const found = exchange({ status: 503, json: body })
  expect(checkExchange(found, { ...circumstances, subject: 'proxy' })).toEqual([])
  expect(checkExchange(found, circumstances)).toHaveLength(1)
})

test('each event of a stream is judged', () => {
  const text = 'data: {"id":"gen-1"}\n\ndata: oops\n\ndata: [DONE]\n\nda'
  const headers = { 'content-type': 'text/event-stream', 'x-request-id': '1' }
  const found = exchange({ status: 200, headers, text })
  const problems = checkExchange(found, { ...circumstances, operation: 'createChatCompletion' })
  expect(problems.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/^an event is not as the contract says/),
    'an event is not JSON: oops',
    'the stream ends in the middle of an event',
  ])
})

test('an answer that broke off or never came shows nothing here: its scenario says so', () => {
  expect(checkExchange(exchange({ status: 0, text: '' }), circumstances)).toEqual([])
  expect(checkExchange(exchange({ ending: 'broken', text: '{' }), circumstances)).toEqual([])
})
