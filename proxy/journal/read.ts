import { createReadStream } from 'node:fs'
import { MAX_LINE_BYTES } from './line.ts'

/** One line's bytes, or the beginning of a last line that a crash left without its end. */
export interface RawLine {
  /** Its place in the file, from 1. */
  readonly position: number
  readonly bytes: Buffer
  readonly isTorn: boolean
  /** Longer than any line; only its beginning is here. */
  readonly isTooLong: boolean
}

const LINE_END = 0x0a

/** Reads a journal line by line, in bounded memory. */
export async function* readRawLines(file: string): AsyncGenerator<RawLine> {
  let position = 1
  let pieces: Buffer[] = []
  let length = 0
  const take = (isTorn: boolean): RawLine => {
    const line = { position, bytes: Buffer.concat(pieces), isTorn, isTooLong: length > MAX_LINE_BYTES }
    position += 1
    pieces = []
    length = 0
    return line
  }
  const add = (bytes: Buffer): void => {
    if (length <= MAX_LINE_BYTES) pieces.push(bytes)
    length += bytes.length
  }
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      add(chunk.subarray(from, end))
      yield take(false)
      from = end + 1
    }
    if (from < chunk.length) add(chunk.subarray(from))
  }
  if (length > 0) yield take(true)
}
