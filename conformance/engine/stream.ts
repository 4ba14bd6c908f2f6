import type { ChatCompletionChunk } from '#contract/models'
import type { RuleId } from '#contract/rules'
import * as assert from './assert.ts'
import { failAs } from './assert.ts'
import { hold, isShown, shownRules } from './checks.ts'
import { type ApiError, errorIn, expectStatus, knownBy, readAs, withoutUsage } from './expect.ts'
import type { Call } from './http/call.ts'
import { type Comment, commentsOf, eventsOf, type StreamEvent } from './http/events.ts'
import { type Exchange, excerpt, isEventStream } from './http/exchange.ts'
import { parseJson } from './http/json.ts'
import { ruleTexts } from './rules.ts'
import { forms, isError } from './universal/forms.ts'

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
  readonly pings: readonly Comment[]
}

/** Asserts a stream that ends well: chunks, `[DONE]` as the last event, and nothing after it. */
export function expectStream(exchange: Exchange): ChatStream {
  const stream = expectEnded(exchange)
  assert.equal(stream.error, undefined, `the stream ends with an error: ${stream.error?.message}`)
  expectChunk(stream)
  return stream
}

/** Asserts that there is a chunk: what a stream without any does not say is untold. */
export function expectChunk({ chunks }: { readonly chunks: readonly unknown[] }): void {
  if (chunks.length === 0) failAs(OF_CHUNKS, 'the stream has no chunk')
  hold()
}

/** Rules that say that a stream has chunks. */
const OF_CHUNKS: readonly RuleId[] = ['EVT-01']

/** Asserts a stream that fails: an error event, `[DONE]` after it, and nothing else after either. */
export function expectFailedStream(exchange: Exchange): ChatStream & { readonly error: ApiError } {
  const stream = expectEnded(exchange)
  assert.ok(stream.error, 'the stream ends without an error')
  const data = stream.events.filter((event) => event.data !== undefined && event.data !== '[DONE]')
  assert.match(data.at(-1)?.data ?? '', /"error"/, 'the error is not the last event before [DONE]')
  return { ...stream, error: stream.error }
}

/** Reads what has come of a stream so far, whole or not; asserts the form of what is there. */
export function readStream(exchange: Exchange): ChatStream {
  const { events } = eventsOf(exchange)
  const data = events.flatMap(({ data }) =>
    data === undefined || data === '[DONE]' ? [] : [parseEvent(data)],
  )
  const failures = data.filter(isError)
  const chunks = data
    .filter((event) => !isError(event))
    .map(toChunk)
    .map((chunk) => ({ ...chunk, ...knownBy(exchange, chunk.id) }) as ChatCompletionChunk)
  const usage = chunks.find(({ choices, usage }) => choices.length === 0 && usage)?.usage
  const isMissing = usage === undefined && failures.length === 0 && isUsageAsked(exchange)
  return {
    events,
    chunks,
    text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
    usage: isMissing ? (withoutUsage(forms.chatChunk, USAGE_CHUNK) as ChatStream['usage']) : usage,
    error: failures.length > 0 ? errorIn(failures[0]) : undefined,
    pings: commentsOf(exchange),
  }
}

/** Rules that say that a usage chunk comes where it was asked for. */
const USAGE_CHUNK = ['REQ-05', 'STRM-03', 'EVT-02'] as const

/** Whether a request asked for the usage chunk. */
export function isUsageAsked({ sent }: Exchange): boolean {
  return /"include_usage" *: *true/.test(sent.body.toString('utf8'))
}

/**
 * Waits for `[DONE]`. Without one it breaks the rules that a stream ends with it; what comes after it is untold.
 */
export async function expectDone(call: Call): Promise<void> {
  const isDone = await call.until((soFar) => eventsOf(soFar).events.some(({ data }) => data === '[DONE]'))
  if (!isDone) expectStreamed(call.exchange)
  if (!isDone) failAs(['STRM-04', 'EVT-05'], 'the stream ends without [DONE]')
}

/** How many chunks with text have come so far; the other kinds do not count. */
export function countTexts(soFar: Exchange): number {
  return readStream(soFar).chunks.filter(({ choices }) => choices[0]?.delta.content).length
}

/** Waits until so many chunks with text have come; fails when the stream ends before. */
export async function expectBegun(call: Call, texts = 1): Promise<void> {
  const hasBegun = await call.until((soFar) => countTexts(soFar) >= texts)
  if (!hasBegun) {
    expectStreamed(call.exchange)
    if (call.isOver) expectChunk(readStream(call.exchange))
  }
  assert.ok(hasBegun, 'the stream did not begin')
}

/** Asserts that there is a stream at all: without one nothing is told of what stands in it. */
export function expectStreamed(exchange: Exchange): void {
  expectStatus(exchange, 200)
  const { events, rest } = eventsOf(exchange)
  const isOne = events.some(({ data, comments }) => data !== undefined || comments.length > 0)
  const broken = shownRules().filter((rule) => OF_STREAMING.includes(rule))
  if (!isOne && !isEventStream(exchange)) failAs(broken, `the answer is no event stream: ${excerpt(rest)}`)
}

/** Rules that say that there are streams. */
const OF_STREAMING: readonly RuleId[] = ['STRM-01', 'SRV-08', 'REQ-04', 'EP-03', 'EP-10']

/** How many pings have come so far. */
export function countPings(soFar: Exchange): number {
  return commentsOf(soFar).length
}

function expectEnded(exchange: Exchange): ChatStream {
  expectStatus(exchange, 200)
  expectEnd(exchange)
  return readStream(exchange)
}

/**
 * Asserts an event stream with `[DONE]` as its last event, each where it is what is shown; elsewhere the universal
 * checks tell of it, and what has events is a stream.
 */
export function expectEnd(exchange: Exchange): void {
  expectStreamed(exchange)
  const { events, rest } = eventsOf(exchange)
  const data = events.flatMap(({ data }) => data ?? [])
  assert.ok(data.length > 0, `the stream has no data: ${excerpt(rest)}`)
  if (isShown(['STRM-01']))
    assert.ok(isEventStream(exchange), `the content type is ${exchange.headers['content-type']}`)
  const isLast = data.at(-1) === '[DONE]'
  const isEnded = isLast && data.indexOf('[DONE]') === data.length - 1
  const broken = shownRules().filter((rule) => ENDING.includes(rule))
  // What is said of the time after [DONE] cannot be seen without one.
  const isNeeded = shownRules().some((rule) => ruleTexts.get(rule)?.includes('[DONE]'))
  if (!isEnded && (broken.length > 0 || isNeeded || isShown(ENDING)))
    failAs(
      broken.length > 0 ? broken : ['STRM-04', 'EVT-05'],
      isLast ? 'there is more than one [DONE]' : 'the last event is not [DONE]',
    )
  if (isShown(['STRM-08', 'EVT-07'])) assert.equal(rest, '', 'something follows the last event')
}

/** Rules that say how a stream ends. */
const ENDING: readonly RuleId[] = [
  'STRM-04',
  'EVT-05',
  'STRM-06',
  'EP-10',
  'STRM-14',
  'STRM-15',
  'STRM-16',
  'STRM-17',
  'STRM-19',
]

function toChunk(value: unknown): ChatCompletionChunk {
  return readAs(value, forms.chatChunk, 'an event')
}

/** Rules that say what an event is. */
const OF_EVENTS: readonly RuleId[] = ['STRM-02', 'STRM-08', 'STRM-12', 'EVT-01', 'EVT-07', 'EP-10', 'CHAT-17']

/** The data of an event as JSON; asserts that it is. */
export function parseEvent(data: string): unknown {
  try {
    return parseJson(data)
  } catch {
    const broken = shownRules().filter((rule) => OF_EVENTS.includes(rule))
    return failAs(broken, `an event is not JSON: ${excerpt(data)}`)
  }
}
