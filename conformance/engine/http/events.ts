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

/** The blocks of a stream in the order of their arrival; `rest` is what no empty line ends. */
export interface EventStream {
  readonly events: readonly StreamEvent[]
  readonly rest: string
}

const BLOCK_END = /\r\n\r\n|\n\n|\r\r|\n\r\n/

/** Splits a stream at its empty lines, as far as it has come; asserts nothing. */
export function eventsOf({ reads, body }: Pick<Exchange, 'reads' | 'body'>): EventStream {
  const text = body.toString('utf8')
  const events: StreamEvent[] = []
  let start = 0
  let bytes = 0
  for (;;) {
    const end = BLOCK_END.exec(text.slice(start))
    if (end === null) return { events, rest: text.slice(start) }
    const raw = text.slice(start, start + end.index + end[0].length)
    start += raw.length
    bytes += Buffer.byteLength(raw)
    events.push(parseBlock(raw, arrivalOf(reads, bytes)))
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

/** When the byte with that number, counted from 1, had arrived. */
function arrivalOf(reads: Exchange['reads'], bytes: number): number {
  let seen = 0
  for (const { atMs, bytes: read } of reads) {
    seen += read.length
    if (seen >= bytes) return atMs
  }
  return reads.at(-1)?.atMs ?? 0
}
