import { expect, test } from 'vitest'
import { StreamTail } from './tail.ts'

function tailOf(pieces: readonly string[]): StreamTail {
  const tail = new StreamTail()
  for (const piece of pieces) tail.see(Buffer.from(piece))
  return tail
}

const ends: [string, boolean, boolean][] = [
  ['', false, true],
  ['data: 1\n\n', false, true],
  ['data: 1\r\n\r\n', false, true],
  ['data: 1\r\r', false, true],
  ['data: 1\n', false, false],
  ['data: {"a":', false, false],
  [': ping\n\n', false, true],
  ['data: 1\n\ndata: [DONE]\n\n', true, true],
  ['data: 1\r\n\r\ndata: [DONE]\r\n\r\n', true, true],
  ['data:[DONE]\n\n', true, true],
  ['data: "data: [DONE]"\n\n', false, true],
  ['data: [DONE]', false, false],
]

test.each(ends)('%j: done %s, between events %s, however it was cut', (text, isDone, isBetweenEvents) => {
  for (const pieces of [[text], [...text], [text.slice(0, 5), text.slice(5)]]) {
    expect(tailOf(pieces)).toMatchObject({ isDone, isBetweenEvents })
  }
})
