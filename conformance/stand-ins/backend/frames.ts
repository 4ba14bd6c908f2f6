import type { Wire } from './behaviour.ts'
import type { StreamEvent } from './chunks.ts'

const LINE_ENDS = { lf: '\n', crlf: '\r\n', cr: '\r' } as const

/** The bytes to write one after the other: one entry per group of events. */
export interface Frame {
  readonly bytes: Buffer
  /** How many deltas of the answer it carries. */
  readonly pieces: number
  /** Milliseconds to wait before it is written. */
  readonly apartMs: number
}

/**
 * Puts events into bytes as the wire options say, each when it is asked for: a long answer made at once would keep every
 * other one waiting, on a busy machine for longer than a router waits.
 */
export function* frameEvents(events: readonly StreamEvent[], wire: Wire): Generator<Frame> {
  const perWrite = wire.eventsPerWrite ?? 1
  for (let start = 0; start < events.length; start += perWrite) {
    const group = events.slice(start, start + perWrite)
    const mark = start === 0 && wire.bom ? '\uFEFF' : ''
    yield {
      bytes: Buffer.from(mark + group.map((event) => frameOf(event, wire)).join('')),
      pieces: group.filter(({ piece }) => piece).length,
      apartMs: Math.max(...group.map(({ apartMs = 0 }) => apartMs)),
    }
  }
}

function frameOf({ data }: StreamEvent, wire: Wire): string {
  const end = LINE_ENDS[wire.lineEnd ?? 'lf']
  const field = wire.noSpace ? 'data:' : 'data: '
  const comment = wire.comments ? `: a comment${end}` : ''
  const lines = linesOf(data, wire.multiLine ?? false)
  return comment + lines.map((line) => field + line + end).join('') + end
}

// Line feeds between data lines stand between JSON's tokens, where white space is free.
function linesOf(data: object | string, multiLine: boolean): readonly string[] {
  if (typeof data === 'string') return data.split('\n')
  return multiLine ? JSON.stringify(data, null, 1).split('\n') : [JSON.stringify(data)]
}
