import { expect, test } from 'vitest'
import { streamChunk, streamEnd, streamHead, wholeAnswer } from '../backend/answers.ts'
import { MessageReader } from './message-reader.ts'
import { bodyFor, scriptIn } from './prompts.ts'
import { StampReader } from './stamps.ts'

/** What a reader finds when the bytes come in pieces of that size. */
function read(bytes: Buffer, size: number): { heads: string[]; bodies: string[] } {
  const heads: string[] = []
  const bodies: string[] = []
  let body = ''
  const reader = new MessageReader({
    onHead: (head) => heads.push(head.split('\r\n')[0]!),
    onBody: (piece) => {
      body += piece.toString('latin1')
    },
    onEnd() {
      bodies.push(body)
      body = ''
    },
  })
  for (let at = 0; at < bytes.length; at += size) {
    // As a connection does: the same memory for every read.
    const memory = Buffer.from(bytes.subarray(at, at + size))
    reader.push(memory)
    memory.fill('?')
  }
  reader.close()
  return { heads, bodies }
}

const stream = Buffer.concat([streamHead, Buffer.from(streamChunk(1_234)), streamEnd])
const request = Buffer.from(
  'POST /v1 HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}GET / HTTP/1.1\r\nhost: a\r\n\r\n',
)

test.each([1, 2, 7, 100, 100_000])('messages are read whole from pieces of %i bytes', (size) => {
  const both = read(Buffer.concat([wholeAnswer, stream, wholeAnswer]), size)
  expect(both.heads).toEqual(Array(3).fill('HTTP/1.1 200 OK'))
  expect(JSON.parse(both.bodies[0]!)).toMatchObject({ object: 'chat.completion' })
  expect(both.bodies[1]).toMatch(/^data: .*t=0000000000001234;.*\n\n(data: .*\n\n)*data: \[DONE\]\n\n$/)
  expect(both.bodies[2]).toBe(both.bodies[0])
  expect(read(request, size)).toEqual({ heads: ['POST /v1 HTTP/1.1', 'GET / HTTP/1.1'], bodies: ['{}', ''] })
})

test('an answer without a length ends with its connection', () => {
  expect(read(Buffer.from('HTTP/1.1 200 OK\r\n\r\nall of it'), 4).bodies).toEqual(['all of it'])
})

test('trailers belong to no body', () => {
  const answer = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx: y\r\n\r\n'
  expect(read(Buffer.from(answer + answer), 3).bodies).toEqual(['ok', 'ok'])
})

test.each([1, 5, 17, 18, 19, 64])('stamps are found once each in pieces of %i bytes', (size) => {
  const bytes = Buffer.from([1, 22, 333].map(streamChunk).join(''))
  const reader = new StampReader()
  const found: number[] = []
  for (let at = 0; at < bytes.length; at += size) found.push(...reader.read(bytes.subarray(at, at + size)))
  expect(found).toEqual([1, 22, 333])
})

test('what the model is to do is read from the prompt', () => {
  expect(scriptIn(bodyFor('a/model', { chunks: 100, everyMs: 20 }))).toEqual({ chunks: 100, everyMs: 20 })
  expect(scriptIn(bodyFor('a/model', undefined))).toBeUndefined()
})
