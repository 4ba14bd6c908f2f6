import { expect, test } from 'vitest'
import type { Exchange } from './http/exchange.ts'
import { expectFailedTextStream, expectTextStream } from './texts.ts'

const ID = 'gen-01ARZ3NDEKTSV4RRFFQ69G5FAV'
const FAILURE = { error: { message: 'No.', type: 'upstream_error', code: 'backend_error' } }

function chunk(text: string): object {
  const choices = [{ index: 0, text, finish_reason: null }]
  return { id: ID, object: 'text_completion', created: 1, model: 'm', choices }
}

function stream(...events: readonly (object | string)[]): Exchange {
  const text = events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('')
  const body = Buffer.from(text)
  return {
    sent: { method: 'POST', url: 'http://x/v1/completions', headers: {}, body: Buffer.alloc(0) },
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    reads: [{ atMs: 1, bytes: body }],
    body,
    ending: 'complete',
    fault: undefined,
    headMs: 1,
    endMs: 1,
    leaf: undefined,
  }
}

test('a stream of texts that ends well is read', () => {
  expect(expectTextStream(stream(chunk('a'), chunk('b'), '[DONE]'))).toMatchObject({ text: 'ab', pings: [] })
})

test('one that fails has its error as the last event before [DONE]', () => {
  const { text, error } = expectFailedTextStream(stream(chunk('a'), FAILURE, '[DONE]'))
  expect([text, error.code]).toEqual(['a', 'backend_error'])
})

test.each<[string, Exchange, RegExp]>([
  ['no [DONE]', stream(chunk('a')), /the last event is not \[DONE\]/],
  ['something after [DONE]', stream(chunk('a'), '[DONE]', chunk('b')), /the last event is not \[DONE\]/],
  ['a second [DONE]', stream(chunk('a'), '[DONE]', '[DONE]'), /more than one \[DONE\]/],
  ['nothing at all', stream('[DONE]'), /no chunk/],
  ['an error', stream(chunk('a'), FAILURE, '[DONE]'), /ends with an error/],
  [
    'a chunk of a chat',
    stream({ ...chunk('a'), object: 'chat.completion.chunk' }, '[DONE]'),
    /not as the contract says/,
  ],
  ['what is no JSON', stream('nonsense', '[DONE]'), /not JSON/],
])('a stream with %s is not taken for one that ended well', (_, exchange, problem) => {
  expect(() => expectTextStream(exchange)).toThrow(problem)
})
