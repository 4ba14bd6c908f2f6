import assert from 'node:assert/strict'
import type { ChatCompletionChunk } from '#contract/models'
import { isChatCompletionChunk } from '#contract/validators/chat-completion-chunk'
import { type ApiError, errorIn, expectStatus } from './expect.ts'
import type { Call } from './http/call.ts'
import { eventsOf, type StreamEvent } from './http/events.ts'
import { type Exchange, excerpt } from './http/exchange.ts'

/** A stream of chunks, read to its end. */
export interface ChatStream {
  readonly events: readonly StreamEvent[]
  readonly chunks: readonly ChatCompletionChunk[]
  /** The text of all chunks together. */
  readonly text: string
  /** The usage-only chunk; undefined when there is none. */
  readonly usage: ChatCompletionChunk['usage']
  /** The error event; undefined when all went well. */
  readonly error: ApiError | undefined
  /** The comment lines. */
  readonly pings: readonly StreamEvent[]
}

/** Asserts a stream that ends well: chunks, `[DONE]` as the last event, and nothing after it. */
export function expectStream(exchange: Exchange): ChatStream {
  const stream = expectEnded(exchange)
  assert.equal(stream.error, undefined, `the stream ends with an error: ${stream.error?.message}`)
  assert.ok(stream.chunks.length > 0, 'the stream has no chunk')
  return stream
}

/** Asserts a stream that fails: an error event, `[DONE]` after it, and nothing else after either. */
export function expectFailedStream(exchange: Exchange): ChatStream & { readonly error: ApiError } {
  const stream = expectEnded(exchange)
  assert.ok(stream.error, 'the stream ends without an error')
  const data = stream.events.filter((event) => event.data !== undefined)
  assert.match(data.at(-2)?.data ?? '', /"error"/, 'the error is not the last event before [DONE]')
  return { ...stream, error: stream.error }
}

/** Reads what has come of a stream so far, whole or not; asserts the form of what is there. */
export function readStream(exchange: Exchange): ChatStream {
  const { events } = eventsOf(exchange)
  const data = events.flatMap(({ data }) =>
    data === undefined || data === '[DONE]' ? [] : [parseEvent(data)],
  )
  const failures = data.filter(isFailure)
  const chunks = data.filter((event) => !isFailure(event)).map(toChunk)
  const usage = chunks.find(({ choices, usage }) => choices.length === 0 && usage)?.usage
  return {
    events,
    chunks,
    text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
    usage,
    error: failures.length > 0 ? errorIn(failures[0]) : undefined,
    pings: events.filter(({ comments }) => comments.length > 0),
  }
}

/** How many chunks with text have come so far; the other kinds do not count. */
export function countTexts(soFar: Exchange): number {
  return readStream(soFar).chunks.filter(({ choices }) => choices[0]?.delta.content).length
}

/** Waits until so many chunks with text have come; fails when the stream ends before. */
export async function expectBegun(call: Call, texts = 1): Promise<void> {
  assert.ok(await call.until((soFar) => countTexts(soFar) >= texts), 'the stream did not begin')
}

/** How many pings have come so far. */
export function countPings(soFar: Exchange): number {
  return eventsOf(soFar).events.filter(({ comments }) => comments.length > 0).length
}

function expectEnded(exchange: Exchange): ChatStream {
  expectStatus(exchange, 200)
  assert.match(exchange.headers['content-type'] ?? '', /^text\/event-stream/, 'the answer is no event stream')
  const stream = readStream(exchange)
  const data = stream.events.filter((event) => event.data !== undefined)
  assert.equal(data.at(-1)?.data, '[DONE]', 'the last event is not [DONE]')
  assert.equal(data.filter((event) => event.data === '[DONE]').length, 1, '[DONE] stands more than once')
  assert.equal(eventsOf(exchange).rest, '', 'something follows the last event')
  return stream
}

function toChunk(value: unknown): ChatCompletionChunk {
  if (!isChatCompletionChunk(value)) {
    const [first] = isChatCompletionChunk.errors ?? []
    assert.fail(`an event is no chunk: ${first?.instancePath || 'it'} ${first?.message}`)
  }
  return value
}

function isFailure(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value
}

/** The data of an event as JSON; asserts that it is. */
export function parseEvent(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return assert.fail(`an event is not JSON: ${excerpt(data)}`)
  }
}
