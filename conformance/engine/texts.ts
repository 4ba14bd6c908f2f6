import type { Completion, CompletionChunk } from '#contract/models'
import * as assert from './assert.ts'
import { type ApiError, errorIn, expectForm, expectStatus, knownBy, readAs, withoutUsage } from './expect.ts'
import { type Comment, commentsOf, eventsOf } from './http/events.ts'
import type { Exchange } from './http/exchange.ts'
import { expectChunk, expectEnd, isUsageAsked, parseEvent } from './stream.ts'
import { forms, isError } from './universal/forms.ts'

/** A streamed text completion, read to its end. */
export interface TextStream {
  readonly chunks: readonly CompletionChunk[]
  readonly text: string
  /** The usage of the chunk without choices; undefined when there is none. */
  readonly usage: CompletionChunk['usage']
  readonly error: ApiError | undefined
  readonly pings: readonly Comment[]
}

/** Asserts a whole text completion. */
export function expectCompletion(exchange: Exchange): Completion {
  return expectForm(exchange, forms.completion)
}

/** Asserts a streamed text completion that ends well. */
export function expectTextStream(exchange: Exchange): TextStream {
  const stream = expectEndedTexts(exchange)
  assert.equal(stream.error, undefined, `the stream ends with an error: ${stream.error?.message}`)
  expectChunk(stream)
  return stream
}

/** Asserts a streamed text completion that fails: the error is the last event before `[DONE]`. */
export function expectFailedTextStream(exchange: Exchange): TextStream & { readonly error: ApiError } {
  const stream = expectEndedTexts(exchange)
  assert.ok(stream.error, 'the stream ends without an error')
  const last = dataOf(exchange).findLast((data) => data !== '[DONE]')
  assert.match(last ?? '', /"error"/, 'the error is not the last event before [DONE]')
  return { ...stream, error: stream.error }
}

/** Reads what has come of a streamed text completion so far, whole or not. */
export function readTextStream(exchange: Exchange): TextStream {
  const events = dataOf(exchange).filter((data) => data !== '[DONE]')
  const values = events.map(parseEvent)
  const failures = values.filter(isError)
  const chunks = values
    .filter((value) => !failures.includes(value))
    .map(toChunk)
    .map((chunk) => ({ ...chunk, ...knownBy(exchange, chunk.id) }) as CompletionChunk)
  const usage = chunks.find(({ choices, usage }) => choices.length === 0 && usage)?.usage
  const isMissing = usage === undefined && failures.length === 0 && isUsageAsked(exchange)
  return {
    chunks,
    text: chunks.map(({ choices }) => choices[0]?.text ?? '').join(''),
    usage: isMissing ? (withoutUsage(forms.completionChunk, ['EP-10']) as TextStream['usage']) : usage,
    error: failures.length > 0 ? errorIn(failures[0]) : undefined,
    pings: commentsOf(exchange),
  }
}

function expectEndedTexts(exchange: Exchange): TextStream {
  expectStatus(exchange, 200)
  expectEnd(exchange)
  return readTextStream(exchange)
}

function dataOf(exchange: Exchange): readonly string[] {
  return eventsOf(exchange).events.flatMap(({ data }) => (data === undefined ? [] : [data]))
}

function toChunk(value: unknown): CompletionChunk {
  return readAs(value, forms.completionChunk, 'an event')
}
