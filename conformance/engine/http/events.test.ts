import { expect, test } from 'vitest'
import { commentsOf, eventsOf } from './events.ts'

function parse(...pieces: readonly string[]) {
  const reads = pieces.map((piece, index) => ({ atMs: (index + 1) * 10, bytes: Buffer.from(piece) }))
  return eventsOf({ reads, body: Buffer.concat(reads.map(({ bytes }) => bytes)) })
}

test.each([
  ['LF', 'data: a\n\ndata: b\n\n'],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
  ['CR', 'data: a\r\rdata: b\r\r'],
  ['no blank', 'data:a\n\ndata:b\n\n'],
])('events are read with %s', (_, text) => {
  const { events, rest } = parse(text)
  expect(events.map(({ data }) => data)).toEqual(['a', 'b'])
  expect(rest).toBe('')
})

test('several data lines are one text, and other fields are named', () => {
  const [event] = parse('event: x\nid: 1\ndata: a\ndata: b\n\n').events
  expect(event).toMatchObject({ data: 'a\nb', fields: ['event', 'id'], comments: [] })
})

test('a comment is no data, and a block is kept as it came', () => {
  expect(parse(': ping\n\n').events).toEqual([
    { atMs: 10, raw: ': ping\n\n', data: undefined, comments: [': ping'], fields: [] },
  ])
})

test('an event has arrived when its last byte has, also with text of several bytes', () => {
  const { events } = parse('data: ü', '\n', '\ndata: 🚀\n\nda', 'ta: c\n\n')
  expect(events.map(({ data, atMs }) => [data, atMs])).toEqual([
    ['ü', 30],
    ['🚀', 30],
    ['c', 40],
  ])
})

test('what no empty line ends is the rest', () => {
  expect(parse('data: a\n\ndata: b\n').rest).toBe('data: b\n')
})

test.each(['\n', '\r\n', '\n\n\n', '\r'])('empty lines behind the last event (%j) are no rest', (lines) => {
  const { events, rest } = parse(`data: a\n\n${lines}`)
  expect([events.flatMap(({ data }) => data ?? []), rest]).toEqual([['a'], ''])
})

test('a comment line is heard when its own line has come, whatever stands behind it', () => {
  const pieces = ['data: a\n\n: ping\n', ': ping\ndata: b\n\n: pi']
  const reads = pieces.map((piece, index) => ({ atMs: (index + 1) * 10, bytes: Buffer.from(piece) }))
  expect(commentsOf({ reads, body: Buffer.concat(reads.map(({ bytes }) => bytes)) })).toEqual([
    { atMs: 10, text: ': ping' },
    { atMs: 20, text: ': ping' },
  ])
})

test('megabytes without the end of a line are looked at once', () => {
  const body = Buffer.concat([Buffer.from(': ping\n'), Buffer.alloc(8 * 1_048_576, 'x')])
  expect(commentsOf({ reads: [{ atMs: 10, bytes: body }], body })).toEqual([{ atMs: 10, text: ': ping' }])
})
