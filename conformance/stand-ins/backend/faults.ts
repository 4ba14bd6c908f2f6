import type { Fault } from './behaviour.ts'
import { DONE, type StreamEvent } from './chunks.ts'

/** How an answer leaves the socket. */
export type Ending = 'end' | 'cut' | 'reset' | 'stall'

/** The events that are really sent, and how it ends. */
export interface FaultyStream {
  readonly events: readonly StreamEvent[]
  readonly ending: Ending
  /** An event of which only the first half is sent, as the last. */
  readonly half?: StreamEvent | undefined
}

const NOT_JSON = '{"id":"chatcmpl-1","choices":[{'

/** Puts a fault into a stream; more chunks than the answer has means just before `[DONE]`. */
export function applyFault(
  events: readonly StreamEvent[],
  fault: Fault | undefined,
  error: unknown,
): FaultyStream {
  if (fault === undefined || !('afterChunks' in fault)) return { events, ending: 'end' }
  const place = placeAfter(events, fault.afterChunks)
  const before = events.slice(0, place)
  const after = events.slice(place)
  switch (fault.kind) {
    case 'cut':
      return {
        events: before,
        ending: fault.reset ? 'reset' : 'cut',
        half: fault.half ? after[0] : undefined,
      }
    case 'eof':
      return { events: before, ending: 'end' }
    case 'stall':
      return { events: before, ending: 'stall' }
    case 'error': {
      const end = fault.done === false ? [] : [DONE]
      return { events: [...before, { data: error as object, piece: false }, ...end], ending: 'end' }
    }
    case 'malformed':
      return { events: [...before, { data: fault.data ?? NOT_JSON, piece: false }, ...after], ending: 'end' }
    case 'oversize':
      return { events: [...before, oversized(events, fault.bytes), ...after], ending: 'end' }
  }
}

/** What is sent of a JSON body, and how it ends. */
export interface FaultyBody {
  readonly body: string
  /** Announced as the content's length; undefined when the end of the body shows it. */
  readonly length: number | undefined
  readonly ending: Ending
}

/** Puts a fault into a JSON body. */
export function applyFaultToBody(body: object, fault: Fault | undefined, error: unknown): FaultyBody {
  const whole = JSON.stringify(body)
  const length = Buffer.byteLength(whole)
  const half = whole.slice(0, whole.length / 2)
  switch (fault?.kind) {
    case 'cut':
      return { body: half, length, ending: fault.reset ? 'reset' : 'cut' }
    case 'stall':
      return { body: half, length, ending: 'stall' }
    case 'eof':
      return { body: half, length: undefined, ending: 'end' }
    case 'error':
      return complete(JSON.stringify(error))
    case 'malformed':
      return complete(fault.data ?? NOT_JSON)
    case 'oversize':
      return complete(JSON.stringify({ ...body, filler: 'x'.repeat(fault.bytes) }))
    default:
      return complete(whole)
  }
}

function complete(body: string): FaultyBody {
  return { body, length: Buffer.byteLength(body), ending: 'end' }
}

function placeAfter(events: readonly StreamEvent[], chunks: number): number {
  if (chunks === 0) return 0
  let seen = 0
  for (const [index, { piece }] of events.entries()) {
    if (piece) seen += 1
    if (seen === chunks) return index + 1
  }
  return events.length - 1
}

// A delta like the others, only with a great deal of text.
function oversized(events: readonly StreamEvent[], bytes: number): StreamEvent {
  const model = events.find(({ piece }) => piece)?.data ?? {}
  return { data: { ...(model as object), filler: 'x'.repeat(bytes) }, piece: false }
}
