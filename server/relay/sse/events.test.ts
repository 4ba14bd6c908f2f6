import { expect, test } from 'vitest'
import { EventSplitter } from './events.ts'

const MAX_EVENT_BYTES = 1_048_576

/** Data of all events of a stream that arrives in the given pieces. */
function split(pieces: readonly Buffer[], maxEventBytes = MAX_EVENT_BYTES) {
  const splitter = new EventSplitter(maxEventBytes)
  const events: string[] = []
  for (const piece of pieces) {
    let at = 0
    while (at < piece.length && !splitter.oversize) {
      at = splitter.next(piece, at)
      if (splitter.data !== undefined) events.push(splitter.data.toString())
    }
  }
  return { events, rest: splitter.rest()?.toString(), oversize: splitter.oversize }
}

function bytewise(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
}

test.each([
  ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
  ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['mixed line ends', 'data: a\r\n\ndata: b\n\r\ndata: c\r\n\rdata: d\n\n', ['a', 'b', 'c', 'd']],
  ['a BOM', '\u{feff}data: a\n\ndata: b\n\n', ['a', 'b']],
  ['comments', ': hello\n\n:x\ndata: a\n: y\n\n', ['a']],
  ['no space after the colon', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
  ['several data lines', 'data: a\ndata: b\ndata\ndata:\ndata: c\n\n', ['a\nb\n\n\nc']],
  ['other fields', 'event: x\nid: 1\nretry: 5\ndata: a\nfoo: bar\ndatax: y\n\n', ['a']],
  ['empty data', 'data:\n\ndata: \n\ndata\n\n\n\n\ndata: a\n\n', ['a']],
  ['text of many bytes', 'data: Grüße, 世界 👋🏽\n\n', ['Grüße, 世界 👋🏽']],
])(
  'a stream with %s gives the same events whole, in two pieces anywhere, and byte by byte',
  (_, text, expected) => {
    const bytes = Buffer.from(text)
    expect(split([bytes]).events).toEqual(expected)
    expect(split(bytewise(bytes)).events).toEqual(expected)
    for (let at = 0; at <= bytes.length; at++) {
      expect(split([bytes.subarray(0, at), bytes.subarray(at)]).events).toEqual(expected)
    }
  },
)

test('an event without its empty line is no event, but what it holds can be asked for', () => {
  expect(split([Buffer.from('data: a\n\ndata: [DONE]\n')])).toMatchObject({ events: ['a'], rest: '[DONE]' })
  expect(split([Buffer.from('data: a\n\ndata: [DO')])).toMatchObject({ events: ['a'], rest: '[DO' })
})

test('an event of exactly the cap passes and one byte more does not', () => {
  const event = (length: number) => Buffer.from(`data: ${'x'.repeat(length - 8)}\n\n`)
  for (const pieces of [[event(1_000)], bytewise(event(1_000))]) {
    expect(split(pieces, 1_000)).toMatchObject({ oversize: false, events: ['x'.repeat(992)] })
  }
  for (const pieces of [[event(1_001)], bytewise(event(1_001))])
    expect(split(pieces, 1_000).oversize).toBe(true)
})

test('the cap counts one event, never the stream', () => {
  const stream = Buffer.from('data: 0123456789\n\n'.repeat(1_000))
  expect(split([stream], 32)).toMatchObject({ oversize: false })
  expect(split(bytewise(stream), 32).events).toHaveLength(1_000)
})

test('endless comments, and lines without number, fall under the cap as well', () => {
  expect(split([Buffer.from(`:${'x'.repeat(200)}`)], 100).oversize).toBe(true)
  expect(split([Buffer.from('data:\n'.repeat(50))], 100).oversize).toBe(true)
})

test('a megabyte in one-byte reads, or in empty data lines, is split in linear time', () => {
  const long = bytewise(Buffer.from(`data: ${'x'.repeat(1_000_000)}\n\n`))
  const many = [Buffer.from(`${'data:\n'.repeat(170_000)}data: x\n\n`)]
  for (const pieces of [long, many]) {
    const startedAt = performance.now()
    expect(split(pieces).events).toHaveLength(1)
    // Generous: what is quadratic takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  }
})

test('the splitter is idle exactly between events', () => {
  const splitter = new EventSplitter(MAX_EVENT_BYTES)
  const idleAfter = (text: string) => {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at = splitter.next(bytes, at)
    return splitter.idle
  }
  expect(splitter.idle).toBe(false) // A BOM may still come.
  expect(idleAfter('data: a')).toBe(false)
  expect(idleAfter('\n')).toBe(false)
  expect(idleAfter('\n')).toBe(true)
  expect(idleAfter('data: a\r\n\r')).toBe(false) // A line feed may still come.
  expect(idleAfter('\n')).toBe(true)
})
