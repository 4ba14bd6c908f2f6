import { expect, test } from 'vitest'
import type { ControlBooks } from '#contract/models'
import { compareTraces, type Trace } from './differential.ts'
import type { Exchange } from './http/exchange.ts'

const books: ControlBooks = { balance_micros: 1, entries: [], generations: [], holds: [], keys: [] }

function trace(body: string, change: Partial<Exchange> = {}, more: Partial<ControlBooks> = {}): Trace {
  const bytes = Buffer.from(body)
  const exchange: Exchange = {
    sent: { method: 'GET', url: 'http://x/v1/models', headers: {}, body: Buffer.alloc(0) },
    status: 200,
    headers: { 'content-type': 'application/json' },
    reads: [{ atMs: 1, bytes }],
    body: bytes,
    ending: 'complete',
    fault: undefined,
    headMs: 1,
    endMs: 1,
    leaf: undefined,
    ...change,
  }
  return { exchanges: [exchange], books: [{ ...books, ...more }], debits: [] }
}

const one = '{"id":"gen-01ARZ3NDEKTSV4RRFFQ69G5FAV","created":1,"latency_ms":5,"text":"a"}'
const two = '{"id":"gen-01BRZ3NDEKTSV4RRFFQ69G5FAV","created":2,"latency_ms":9,"text":"a"}'
const sse = { headers: { 'content-type': 'text/event-stream' } }

test('ids and times are another at each request and make no difference', () => {
  expect(compareTraces(trace(one), trace(two))).toEqual([])
})

test('the code of an invitation, and how long a bucket takes to admit, make no difference', () => {
  const refusal = (seconds: number) =>
    trace(`{"code":"AB2C-DE3F-GH${seconds}","message":"Try again in ${seconds} s."}`, {
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': String(seconds) },
    })
  expect(compareTraces(refusal(29), refusal(32))).toEqual([])
})

test('pings come when they come', () => {
  const text = 'data: {"a":1}\n\ndata: [DONE]\n\n'
  expect(compareTraces(trace(text, sse), trace(`: ping\n\n${text}`, sse))).toEqual([])
})

const failed = '{"error":{"message":"No.","type":"upstream_error","code":"backend_error"}}'
const told = (error: string) => trace(`: ping\n\ndata: ${error}\n\ndata: [DONE]\n\n`, sse)

test('whether pings had begun when a backend failed makes no difference', () => {
  expect(compareTraces(trace(failed, { status: 502 }), told(failed))).toEqual([])
  expect(compareTraces(told(failed), trace(failed, { status: 502 }))).toEqual([])
})

test.each<[string, Trace, Trace, RegExp]>([
  [
    'another error of a backend, told late',
    trace(failed, { status: 502 }),
    told(failed.replace('backend_error', 'backend_unavailable')),
    /^the error of answer 1/,
  ],
  [
    'another text',
    trace(one),
    trace(one.replace('"a"', '"b"')),
    /^the body of answer 1 \(GET \/v1\/models\) differs/,
  ],
  ['another status', trace(one), trace(one, { status: 201 }), /^the status of answer 1/],
  ['another header', trace(one), trace(one, sse), /^content-type of answer 1/],
  ['another end', trace(one), trace(one, { ending: 'broken' }), /^the end of answer 1/],
  [
    'a missing event',
    trace('data: 1\n\ndata: 2\n\n', sse),
    trace('data: 1\n\n', sse),
    /^the body of answer 1/,
  ],
  ['another balance', trace(one), trace(one, {}, { balance_micros: 2 }), /^the books differs/],
  [
    'an answer more',
    trace(one),
    { exchanges: [], books: [], debits: [] },
    /^1 exchanges at the router, 0 through the proxy/,
  ],
])('%s is a difference', (_, router, proxy, difference) => {
  expect(compareTraces(router, proxy)[0]).toMatch(difference)
})
