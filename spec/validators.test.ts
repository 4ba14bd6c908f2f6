import { describe, expect, test } from 'vitest'
import type { Validator } from '#contract/validator'
import { isChatCompletion } from '#contract/validators/chat-completion'
import { isChatCompletionRequest } from '#contract/validators/chat-completion-request'
import { isChatEvent } from '#contract/validators/chat-event'
import { isCompletionRequest } from '#contract/validators/completion-request'
import { isEmbeddingRequest } from '#contract/validators/embedding-request'
import { isRouterConfig } from '#contract/validators/router-config'

const chat = { model: 'demo/tiny-chat', messages: [{ role: 'user', content: 'Hello' }] }
const text = { model: 'demo/tiny-chat', prompt: 'Once' }
const input = { model: 'demo/tiny-embed', input: ['Once', 'twice'] }
const usage = {
  prompt_tokens: 12,
  completion_tokens: 34,
  total_tokens: 46,
  cost_micros: 23,
  endpoint: 'demo',
  evidence_digest: null,
}
const completion = {
  id: 'gen-01JZX4J8Q0V5C7M9R2T4W6Y8ZA',
  object: 'chat.completion',
  created: 1767225600,
  model: 'demo/tiny-chat',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage,
}

describe('a chat request passes', () => {
  test.each([
    ['with nothing but what is required', {}],
    [
      'with fields that nobody here knows',
      { reasoning_effort: 'high', parallel_tool_calls: true, x: { y: [1] } },
    ],
    [
      'with null in every honoured field',
      nulls('stream stream_options temperature top_p stop seed n user tools'),
    ],
    ['with messages of any kind', { messages: [{ strange: true }, null, 7] }],
    ['with tools of any kind', { tools: [{ type: 'custom' }, 'x'], tool_choice: { type: 'function' } }],
    ['with one text to stop at', { stop: 'END' }],
    ['with four texts to stop at', { stop: ['a', 'b', 'c', 'd'] }],
    [
      'at the ends of the ranges',
      { temperature: 2, top_p: 0, n: 1, max_tokens: 1, seed: 9223372036854775807n },
    ],
  ])('%s', (_, change) => {
    expect(mistakesOf(isChatCompletionRequest, { ...chat, ...plain(change) })).toEqual([])
  })
})

describe('a chat request is refused, and the field named,', () => {
  test.each([
    ['/model', { model: '' }],
    ['/messages', { messages: [] }],
    ['/messages', { messages: 'Hello' }],
    ['/temperature', { temperature: 2.01 }],
    ['/temperature', { temperature: '1' }],
    ['/top_p', { top_p: -0.1 }],
    ['/n', { n: 2 }],
    ['/n', { n: 0 }],
    ['/stop', { stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['/stop/1', { stop: ['a', 2] }],
    ['/seed', { seed: 1.5 }],
    ['/seed', { seed: 1e300 }],
    ['/max_tokens', { max_tokens: 0 }],
    ['/max_completion_tokens', { max_completion_tokens: 2 ** 31 }],
    ['/stream', { stream: 'true' }],
    ['/stream_options', { stream_options: true }],
    ['/stream_options/include_usage', { stream_options: { include_usage: 1 } }],
    ['/response_format', { response_format: 'json' }],
    ['/tools', { tools: {} }],
    ['/tool_choice', { tool_choice: 1 }],
    ['/user', { user: 5 }],
  ])('%s in %j', (path, change) => {
    expect(mistakesOf(isChatCompletionRequest, { ...chat, ...change })).toEqual([path])
  })
})

test.each([['Once'], [['Once']], [[1, 2]], [[[1, 2]]], [['a', 'b']], [[[1], [2]]]])(
  '%j are prompts',
  (prompt) => {
    expect(isCompletionRequest({ ...text, prompt, max_tokens: 0 })).toBe(true)
  },
)

test.each([[5], [[]], [''], [['a', 1]], [[[1], 2]], [[1.5]], [null]])('%j are no prompts', (prompt) => {
  expect(isCompletionRequest({ ...text, prompt })).toBe(false)
  expect(isCompletionRequest.errors![0]!.instancePath).toMatch(/^\/prompt/)
})

test('one answer is all that can be chosen from', () => {
  expect(mistakesOf(isCompletionRequest, { ...text, best_of: 3 })).toEqual(['/best_of'])
})

test.each([
  ['/stream', { stream: true }],
  ['/dimensions', { dimensions: 0 }],
])('an embedding request is refused for %s', (path, change) => {
  expect(isEmbeddingRequest(input)).toBe(true)
  expect(mistakesOf(isEmbeddingRequest, { ...input, ...change })).toContain(path)
})

test('an answer may hold more than is described', () => {
  const more = { ...completion, system_fingerprint: 'x', usage: { ...usage, prompt_tokens_details: {} } }
  expect(mistakesOf(isChatCompletion, more)).toEqual([])
})

test.each([
  ['/usage', { usage: { prompt_tokens: 1 } }],
  ['/usage/evidence_digest', { usage: { ...usage, evidence_digest: 'sha256:00' } }],
  ['/id', { id: 'chatcmpl-1' }],
])('an answer with a wrong %s is none', (path, change) => {
  expect(mistakesOf(isChatCompletion, { ...completion, ...change })).toContain(path)
})

test('a configuration file is told all its mistakes at once', () => {
  const wrong = {
    listen: { port: 99_999, hots: 'x' },
    endpoints: [{ name: 'demo', hostname: 'a' }],
    modles: [],
  }
  expect(mistakesOf(isRouterConfig, wrong).sort()).toEqual(['', '', '/listen', '/listen/port'])
})

test('an event of a stream is a chunk, an error or the end', () => {
  const chunk = { ...completion, object: 'chat.completion.chunk', choices: [], usage: null }
  expect(isChatEvent(chunk)).toBe(true)
  expect(isChatEvent({ error: { message: 'No.', type: 'server_error', code: 'internal' } })).toBe(true)
  expect(isChatEvent('[DONE]')).toBe(true)
  expect(isChatEvent({ choices: [] })).toBe(false)
})

/** Paths of the mistakes; a value without any has none. */
function mistakesOf(validator: Validator, value: unknown): string[] {
  return validator(value) ? [] : validator.errors!.map(({ instancePath }) => instancePath)
}

function nulls(names: string): Record<string, null> {
  return Object.fromEntries(names.split(' ').map((name) => [name, null]))
}

/** As it comes from JSON, where large integers are numbers like all others. */
function plain(value: object): object {
  return JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? Number(one) : one)))
}
