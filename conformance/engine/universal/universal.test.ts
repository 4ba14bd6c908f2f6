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
  [
    'a status that is not declared',
    exchange({ status: 418 }),
    'chosen',
    /418 is not declared for listModels/,
  ],
  ['a success that is not declared', exchange({ status: 204, text: '{}' }), 'given', /204 is not declared/],
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
    'chosen',
    /text of the prompt/,
  ],
  ['a param of null', exchange({ json: error({ param: null }) }), 'chosen', /param of an error is null/],
  ['a param that is no text', exchange({ json: error({ param: 7 }) }), 'given', /\/error\/param/],
])('%s is a violation', (_, found, origin, problem) => {
  expect(checkExchange(found, circumstances)).toContainEqual(
    expect.objectContaining({ origin, problem: expect.stringMatching(problem) }),
  )
})

test('of what the given specification leaves open no given rule is broken', () => {
  const given = (found: Exchange, about: Partial<Circumstances> = {}) =>
    checkExchange(found, { ...circumstances, ...about }).filter(({ origin }) => origin === 'given')
  const headers = { 'content-type': 'Application/Problem+JSON', 'x-request-id': '1' }
  expect(given(exchange({ json: error({ param: null, doc: 'https://example.com' }), headers }))).toEqual([])
  expect(given(exchange({ status: 422, json: error({ code: 'odd_value', type: 'odd' }) }))).toEqual([])
  expect(given(exchange({ status: 405, json: error({ code: 'no' }) }), { operation: undefined })).toEqual([])
  const answer = {
    id: `gen-${'a'.repeat(26)}`,
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [],
    usage: {
      ...{ prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost_micros: 1, endpoint: 'own' },
      evidence_digest: `sha256:${'0'.repeat(64)}`,
    },
  }
  const chat = exchange({ status: 200, json: answer })
  expect(checkExchange(chat, { ...circumstances, operation: 'createChatCompletion' })).toMatchObject([
    { rules: ['CHAT-13'] },
  ])
  const { cost_micros: _, endpoint: __, evidence_digest: ___, ...plain } = answer.usage
  const text = { ...answer, id: 'cmpl-1', object: 'text_completion', usage: plain }
  expect(given(exchange({ status: 200, json: text }), { operation: 'createCompletion' })).toEqual([])
})

test.each(['createCompletion', 'createEmbedding'] as const)(
  'an answer of %s that is no JSON breaks the rule of its schema, and not the one that asks for a key',
  (operation) => {
    const headers = { 'content-type': 'text/html', 'x-request-id': '1' }
    const page = exchange({ status: 200, headers, text: '<!doctype html>' })
    const broken = checkExchange(page, { ...circumstances, operation }).flatMap(({ rules }) => rules)
    expect(new Set(broken)).toEqual(new Set(['REQ-12']))
  },
)

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
  expect(stored).toMatchObject([{ rules: ['CONS-54'], problem: 'an answer to listKeys may be stored' }])
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
  const asked = { ...circumstances, operation: 'getInvitation' } as const
  expect(checkExchange(found, { ...asked, subject: 'proxy' })).toEqual([])
  expect(checkExchange(found, asked)).toHaveLength(1)
})

test('each event of a stream is judged', () => {
  const text = 'data: {"id":"gen-1"}\n\ndata: oops\n\ndata: [DONE]\n\nda'
  const headers = { 'content-type': 'text/event-stream', 'x-request-id': '1' }
  const found = exchange({ status: 200, headers, text })
  const problems = checkExchange(found, { ...circumstances, operation: 'createChatCompletion' })
  expect(problems.map(({ rules, problem }) => [problem, ...rules])).toEqual([
    ...['object', 'created', 'model', 'choices'].map((name) => [
      expect.stringMatching(`required property '${name}'`),
      'STRM-08',
    ]),
    [expect.stringMatching(/^an event is not as the contract says: \/id/), 'CHAT-02'],
    ['an event is not JSON: oops', 'STRM-08'],
    ['the stream ends in the middle of an event', 'STRM-08'],
  ])
})

test('a stream without its end breaks the rules of the end alone, and one of another type that of the type', () => {
  const headers = { 'content-type': 'text/plain', 'x-request-id': '1' }
  const chunk = {
    id: `gen-${'0'.repeat(26)}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [],
  }
  const found = exchange({ status: 200, headers, text: `data: ${JSON.stringify(chunk)}\n\n` })
  const violations = checkExchange(found, { ...circumstances, operation: 'createChatCompletion' })
  expect(violations.flatMap(({ rules }) => rules)).toEqual(['STRM-01', 'STRM-04', 'EVT-05'])
})

test('an answer that broke off or never came shows nothing here: its scenario says so', () => {
  expect(checkExchange(exchange({ status: 0, text: '' }), circumstances)).toEqual([])
  expect(checkExchange(exchange({ ending: 'broken', text: '{' }), circumstances)).toEqual([])
})
