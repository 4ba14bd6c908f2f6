import type { Exchange } from './exchange.ts'

/** One block of an event stream: what stands between two empty lines. */
export interface StreamEvent {
  /** When its last byte arrived: milliseconds from the request. */
  readonly atMs: number
  /** As it came, with the empty line that ends it. */
  readonly raw: string
  /** The `data:` lines joined; undefined when there are none. */
  readonly data: string | undefined
  /** Comment lines with their colon. */
  readonly comments: readonly string[]
  /** Names of the other fields. */
  readonly fields: readonly string[]
}

/** The blocks of a stream in the order of their arrival; `rest` is what no empty line ends, and more than empty lines. */
export interface EventStream {
  readonly events: readonly StreamEvent[]
  readonly rest: string
}

/** A comment line of a stream, with its colon, and when its end arrived: milliseconds from the request. */
export interface Comment {
  readonly atMs: number
  readonly text: string
}

/** The comment lines of a stream as far as they have come, whatever stands before or behind each. */
export function commentsOf({ reads, body }: Pick<Exchange, 'reads' | 'body'>): readonly Comment[] {
  const arrivalOf = createClock(reads)
  const text = body.toString('utf8')
  const comments: Comment[] = []
  let [start, bytes] = [0, 0]
  // What no line's end follows is not looked at: a search for whole lines would try again at each of its characters.
  for (const end of text.matchAll(LINE_END)) {
    const line = text.slice(start, end.index + end[0].length)
    start += line.length
    bytes += Buffer.byteLength(line)
    if (line.startsWith(':')) comments.push({ atMs: arrivalOf(bytes), text: line.trimEnd() })
  }
  return comments
}

const LINE_END = /\r\n|\n|\r/g
const BLOCK_END = /\r\n\r\n|\n\n|\r\r|\n\r\n/
/** Behind an event they begin no other one. */
const EMPTY_LINES = /^[\r\n]+$/

/** Splits a stream at its empty lines, as far as it has come; asserts nothing. */
export function eventsOf({ reads, body }: Pick<Exchange, 'reads' | 'body'>): EventStream {
  const text = body.toString('utf8')
  const events: StreamEvent[] = []
  let start = 0
  let bytes = 0
  const arrivalOf = createClock(reads)
  for (;;) {
    const end = BLOCK_END.exec(text.slice(start))
    if (end === null) return { events, rest: text.slice(start).replace(EMPTY_LINES, '') }
    const raw = text.slice(start, start + end.index + end[0].length)
    start += raw.length
    bytes += Buffer.byteLength(raw)
    events.push(parseBlock(raw, arrivalOf(bytes)))
  }
}

function parseBlock(raw: string, atMs: number): StreamEvent {
  const lines = raw.split(/\r\n|\n|\r/).filter((line) => line !== '')
  const data = lines.filter((line) => fieldOf(line) === 'data').map((line) => contentOf(line))
  return {
    atMs,
    raw,
    data: data.length > 0 ? data.join('\n') : undefined,
    comments: lines.filter((line) => line.startsWith(':')),
    fields: lines.map(fieldOf).filter((field) => field !== '' && field !== 'data'),
  }
}

function fieldOf(line: string): string {
  const colon = line.indexOf(':')
  return colon === -1 ? line : line.slice(0, colon)
}

function contentOf(line: string): string {
  const value = line.slice(line.indexOf(':') + 1)
  return value.startsWith(' ') ? value.slice(1) : value
}

/** Tells when the byte with a number, counted from 1, had arrived; it is asked for later and later ones. */
function createClock(reads: Exchange['reads']): (bytes: number) => number {
  let [next, seen] = [0, 0]
  return (bytes) => {
    while (seen < bytes && next < reads.length) seen += reads[next++]!.bytes.length
    return reads[Math.max(0, next - 1)]?.atMs ?? 0
  }
}
