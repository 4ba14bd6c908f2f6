import { expect, test } from 'vitest'
import { StreamTail } from './tail.ts'

function tailOf(pieces: readonly string[]): StreamTail {
  const tail = new StreamTail()
  for (const piece of pieces) tail.see(Buffer.from(piece))
  return tail
}

const ends: [string, boolean][] = [
  ['', false],
  ['data: 1\n\n', false],
  ['data: 1\r\n\r\n', false],
  ['data: 1\r\r', false],
  ['data: 1\n', false],
  ['data: {"a":', false],
  [': ping\n\n', false],
  ['data: 1\n\ndata: [DONE]\n\n', true],
  ['data: 1\r\n\r\ndata: [DONE]\r\n\r\n', true],
  ['data:[DONE]\n\n', true],
  ['data: "data: [DONE]"\n\n', false],
  ['data: [DONE]', false],
]

test.each(ends)('%j: done %s, however it was cut', (text, isDone) => {
  for (const pieces of [[text], [...text], [text.slice(0, 5), text.slice(5)]]) {
    expect(tailOf(pieces)).toMatchObject({ isDone })
  }
})
