import { GrowingBytes } from './growing.ts'

const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const NEWLINE = Buffer.from('\n')
const FIELD = Buffer.from('data')
const COLON = 0x3a

/**
 * Splits a backend's event stream as the standard has it: LF, CR and CRLF in any mixture, a BOM, comments,
 * fields without the space, several data lines, cut anywhere. Only data is kept; empty data is dropped (S-07).
 */
export class EventSplitter {
  /** Data of the event that `next` has just completed; undefined when the bytes ran out before an event's end. */
  data: Buffer | undefined
  /** Where that event began in the same bytes; -1 when it began in earlier ones. */
  start = -1
  /** Whether an event grew beyond the cap; nothing after it can be read. */
  oversize = false
  readonly #maxEventBytes: number
  readonly #line = new GrowingBytes()
  readonly #joined = new GrowingBytes()
  #single: Buffer | undefined
  #isJoined = false
  #eventBytes = 0
  #skipsLf = false
  #isFirstLine = true

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes
  }

  /** Whether the next byte begins an event: nothing is half read. */
  get idle(): boolean {
    return this.#eventBytes === 0 && !this.#skipsLf && !this.#isFirstLine
  }

  /** Reads on from `from` to the end of the next event with data, or to the end of the bytes; returns where. */
  next(bytes: Buffer, from: number): number {
    this.data = undefined
    this.start = this.#eventBytes === 0 ? from : -1
    let at = from
    while (at < bytes.length && !this.oversize) {
      if (this.#skipsLf) {
        this.#skipsLf = false
        if (bytes[at] === LF) {
          at++
          if (this.#eventBytes === 0) this.start = at
          continue
        }
      }
      at = this.#takeLine(bytes, at, endOfLine(bytes, at))
      if (this.data !== undefined) return at
      if (this.#eventBytes === 0) this.start = at
    }
    return at
  }

  /** What an event left unfinished by the end of the stream holds; the standard discards it. */
  rest(): Buffer | undefined {
    if (this.#line.length > 0) this.#readLine(this.#line.take())
    return this.#takeData()
  }

  /** Takes one line, or the beginning of one when no end is in sight; returns where the next begins. */
  #takeLine(bytes: Buffer, from: number, lineEnd: number): number {
    const isCut = lineEnd === bytes.length
    this.#eventBytes += lineEnd - from + (isCut ? 0 : 1)
    if (this.#eventBytes > this.#maxEventBytes) this.oversize = true
    if (isCut) {
      this.#line.append(bytes.subarray(from))
      return lineEnd
    }
    let line = bytes.subarray(from, lineEnd)
    if (this.#line.length > 0) {
      this.#line.append(line)
      line = this.#line.take()
    }
    const after = this.#endBreak(bytes, lineEnd)
    if (line.length > 0) this.#readLine(line)
    else this.#endEvent()
    this.#isFirstLine = false
    return after
  }

  /** A CR may be followed by the LF that belongs to it, here or in the next bytes. */
  #endBreak(bytes: Buffer, lineEnd: number): number {
    if (bytes[lineEnd] === LF) return lineEnd + 1
    if (lineEnd + 1 < bytes.length) return bytes[lineEnd + 1] === LF ? lineEnd + 2 : lineEnd + 1
    this.#skipsLf = true
    return lineEnd + 1
  }

  #readLine(raw: Buffer): void {
    const line = this.#isFirstLine ? withoutBom(raw) : raw
    const value = dataOf(line)
    if (value === undefined) return
    if (this.#single === undefined) this.#single = value
    else {
      if (!this.#isJoined) this.#joined.append(this.#single)
      this.#isJoined = true
      this.#joined.append(NEWLINE)
      this.#joined.append(value)
    }
  }

  #endEvent(): void {
    this.#eventBytes = 0
    const data = this.#takeData()
    if (data !== undefined && data.length > 0) this.data = data
  }

  #takeData(): Buffer | undefined {
    const data = this.#isJoined ? this.#joined.take() : this.#single
    this.#single = undefined
    this.#isJoined = false
    return data
  }
}

function endOfLine(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++
  return at
}

/** The value of a `data` line; undefined for comments and all other fields. */
function dataOf(line: Buffer): Buffer | undefined {
  for (let at = 0; at < FIELD.length; at++) if (line[at] !== FIELD[at]) return undefined
  if (line.length === FIELD.length) return line.subarray(FIELD.length)
  if (line[FIELD.length] !== COLON) return undefined
  const from = FIELD.length + 1
  return line.subarray(line[from] === SPACE ? from + 1 : from)
}

function withoutBom(line: Buffer): Buffer {
  const hasBom = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf
  return hasBom ? line.subarray(3) : line
}
