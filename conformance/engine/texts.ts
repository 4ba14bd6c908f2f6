import assert from 'node:assert/strict'
import { isObject } from '#base/object.ts'
import type { Completion, CompletionChunk } from '#contract/models'
import { isCompletion } from '#contract/validators/completion'
import { isCompletionChunk } from '#contract/validators/completion-chunk'
import { type ApiError, errorIn, expectShape, expectStatus } from './expect.ts'
import { eventsOf, type StreamEvent } from './http/events.ts'
import type { Exchange } from './http/exchange.ts'
import { parseEvent } from './stream.ts'

/** A streamed text completion, read to its end. */
export interface TextStream {
  readonly chunks: readonly CompletionChunk[]
  readonly text: string
  /** The usage of the chunk without choices; undefined when there is none. */
  readonly usage: CompletionChunk['usage']
  readonly error: ApiError | undefined
  readonly pings: readonly StreamEvent[]
}

/** Asserts a whole text completion. */
export function expectCompletion(exchange: Exchange): Completion {
  return expectShape(exchange, isCompletion)
}

/** Asserts a streamed text completion that ends well. */
export function expectTextStream(exchange: Exchange): TextStream {
  const stream = expectEndedTexts(exchange)
  assert.equal(stream.error, undefined, `the stream ends with an error: ${stream.error?.message}`)
  assert.ok(stream.chunks.length > 0, 'the stream has no chunk')
  return stream
}

/** Asserts a streamed text completion that fails: the error is the last event before `[DONE]`. */
export function expectFailedTextStream(exchange: Exchange): TextStream & { readonly error: ApiError } {
  const stream = expectEndedTexts(exchange)
  assert.ok(stream.error, 'the stream ends without an error')
  const last = dataOf(exchange).at(-2)
  assert.match(last ?? '', /"error"/, 'the error is not the last event before [DONE]')
  return { ...stream, error: stream.error }
}

/** Reads what has come of a streamed text completion so far, whole or not. */
export function readTextStream(exchange: Exchange): TextStream {
  const events = dataOf(exchange).filter((data) => data !== '[DONE]')
  const values = events.map(parseEvent)
  const failures = values.filter((value) => isObject(value) && 'error' in value)
  const chunks = values.filter((value) => !failures.includes(value)).map(toChunk)
  return {
    chunks,
    text: chunks.map(({ choices }) => choices[0]?.text ?? '').join(''),
    usage: chunks.find(({ choices, usage }) => choices.length === 0 && usage)?.usage,
    error: failures.length > 0 ? errorIn(failures[0]) : undefined,
    pings: eventsOf(exchange).events.filter(({ comments }) => comments.length > 0),
  }
}

function expectEndedTexts(exchange: Exchange): TextStream {
  expectStatus(exchange, 200)
  assert.match(exchange.headers['content-type'] ?? '', /^text\/event-stream/, 'the answer is no event stream')
  const data = dataOf(exchange)
  assert.equal(data.indexOf('[DONE]'), data.length - 1, 'the one [DONE] is not the last event')
  assert.ok(data.length > 0, 'the stream is empty')
  assert.equal(eventsOf(exchange).rest, '', 'something follows the last event')
  return readTextStream(exchange)
}

function dataOf(exchange: Exchange): readonly string[] {
  return eventsOf(exchange).events.flatMap(({ data }) => (data === undefined ? [] : [data]))
}

function toChunk(value: unknown): CompletionChunk {
  if (!isCompletionChunk(value)) {
    const [first] = isCompletionChunk.errors ?? []
    assert.fail(`an event is no chunk of a text: ${first?.instancePath || 'it'} ${first?.message}`)
  }
  return value as CompletionChunk
}
