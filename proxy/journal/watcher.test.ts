import { expect, test } from 'vitest'
import { digestOf } from '#attestation'
import { RawHeaders } from '../raw-headers.ts'
import { createWatcher } from './watcher.ts'

const usage = {
  prompt_tokens: 12,
  completion_tokens: 34,
  total_tokens: 46,
  cost_micros: 23,
  endpoint: 'demo',
  evidence_digest: digestOf('snapshot'),
}
const seenUsage = {
  promptTokens: 12,
  completionTokens: 34,
  costMicros: 23,
  servedBy: 'demo',
  servedDigest: digestOf('snapshot'),
}
const STREAM = ['Content-Type', 'text/event-stream']
const JSON_BODY = ['Content-Type', 'application/json; charset=utf-8']

/** Looks at a text that comes in pieces of some length. */
function watch(headers: readonly string[], text: string, pieceBytes = 1_000_000) {
  const watcher = createWatcher(new RawHeaders(headers))
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    watcher.see(bytes.subarray(from, from + pieceBytes))
  }
  return { ...watcher.seen(), isDone: watcher.isDone }
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const chunk = (content: string, more: object = {}) =>
  event({ model: 'demo/tiny-chat', choices: [{ delta: { content } }], ...more })
const closing = chunk('', { choices: [], usage })

test.each([1, 7, 1_000_000])(
  'a stream that comes in pieces of %i bytes shows its usage and its end',
  (bytes) => {
    const text = `: ping\n\n${chunk('Grüße')}${chunk('"usage":{"cost_micros":1}')}${closing}data: [DONE]\n\n`
    expect(watch(STREAM, text, bytes)).toEqual({ model: 'demo/tiny-chat', usage: seenUsage, isDone: true })
  },
)

test('usage that the client did not ask for is not seen, and nothing is guessed', () => {
  const text = `${chunk('a')}${chunk('b', { usage: null })}data: [DONE]\n\n`
  expect(watch(STREAM, text)).toEqual({ model: 'demo/tiny-chat', usage: undefined, isDone: true })
})

test('a stream that was cut has no end', () => {
  expect(watch(STREAM, chunk('a'))).toMatchObject({ usage: undefined, isDone: false })
})

test('line ends of the network are lines ends too', () => {
  expect(watch(STREAM, closing.replaceAll('\n', '\r\n'))).toMatchObject({ usage: seenUsage })
})

test.each([1, 50, 1_000_000])('a body that comes in pieces of %i bytes shows its usage', (bytes) => {
  const text = JSON.stringify({ model: 'demo/tiny-chat', choices: [], usage })
  expect(watch(JSON_BODY, text, bytes)).toMatchObject({ model: 'demo/tiny-chat', usage: seenUsage })
})

test('an embedding has no completion', () => {
  const { completion_tokens: _, ...rest } = usage
  expect(watch(JSON_BODY, JSON.stringify({ usage: rest })).usage).toMatchObject({ completionTokens: 0 })
})

test.each([
  ['a negative cost', { ...usage, cost_micros: -1 }],
  ['a cost that is no integer', { ...usage, cost_micros: 0.5 }],
  ['a cost that is not exact', { ...usage, cost_micros: 2 ** 60 }],
  ['a text for a count', { ...usage, prompt_tokens: 'canary' }],
  ['no cost', { ...usage, cost_micros: undefined }],
])('%s is no usage', (_, wrong) => {
  expect(watch(JSON_BODY, JSON.stringify({ usage: wrong })).usage).toBeUndefined()
})

test('names that are none leave no text behind', () => {
  const text = JSON.stringify({
    model: 'a prompt with spaces',
    usage: { ...usage, endpoint: 'x\ny', evidence_digest: 'z' },
  })
  expect(watch(JSON_BODY, text)).toMatchObject({
    model: undefined,
    usage: { servedBy: null, servedDigest: null },
  })
})

test('what is longer than 1 MiB is let pass unread, and an event after it is read', () => {
  const long = 'x'.repeat(1_100_000)
  expect(watch(JSON_BODY, JSON.stringify({ long, usage })).usage).toBeUndefined()
  expect(watch(STREAM, `${chunk(long, { usage })}data: [DONE]\n\n`, 65_536).usage).toBeUndefined()
  expect(watch(STREAM, `${chunk(long)}${closing}`, 65_536).usage).toEqual(seenUsage)
})

test.each([
  ['compressed', [...STREAM, 'Content-Encoding', 'gzip']],
  ['of another type', ['Content-Type', 'text/html']],
  ['announced as longer than 1 MiB', [...JSON_BODY, 'Content-Length', '1048577']],
])('an answer that is %s is not looked into', (_, headers) => {
  expect(watch(headers, closing)).toEqual({ model: undefined, usage: undefined, isDone: false })
})
