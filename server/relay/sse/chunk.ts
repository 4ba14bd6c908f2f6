import { isUtf8 } from 'node:buffer'
import { isObject } from '#base/object.ts'
import { findMember, firstElementOf, membersOf, type ObjectSpan } from '../../json/members.ts'
import { byte } from '../../json/scan.ts'
import { applyEdits, type Changes, type Edit, editsOf, positionAfter } from '../../json/splice.ts'
import type { Usage } from '../../metering/generation.ts'
import type { Operation } from '../../operation.ts'
import { finishReasonOf, isReason } from '../finish-reason.ts'
import { inOwnMemory } from '../own-memory.ts'
import { carriesText, choiceTextBytes, onlyTextOf } from '../text.ts'
import { parseUsage } from '../usage.ts'
import type { StreamFault } from './faults.ts'
import type { Template } from './template.ts'

/** A chunk that was parsed, and what it says. */
export interface Chunk {
  readonly value: Readonly<Record<string, unknown>>
  readonly choices: readonly unknown[]
  readonly object: ObjectSpan
  /** How many of its choices carry text. */
  readonly tokens: number
  /** UTF-8 bytes of that text. */
  readonly textBytes: number
  /** The last finish reason that it names. */
  readonly finishReason: string | undefined
  /** Its choices by their index, and whether each has said why it ended. */
  readonly choiceEnds: readonly (readonly [index: number, isFinished: boolean])[]
  readonly usage: Usage | undefined
  /** Whether `usage` stands there with anything but null, valid or not. */
  readonly hasUsage: boolean
}

const LF = 0x0a
const SPACE = 0x20
const EVENT_START = Buffer.from('data: ')
const EVENT_END = Buffer.from('\n\n')

/** Reads the data of one event; a fault is what it is when it is no chunk (STRM-15). */
export function parseChunk(data: Buffer, operation: Operation): Chunk | StreamFault {
  if (!isUtf8(data)) return { kind: 'malformed' }
  let value: unknown
  try {
    value = JSON.parse(data.toString())
  } catch {
    return { kind: 'malformed' }
  }
  if (!isObject(value)) return { kind: 'malformed' }
  if (value.error !== undefined && value.error !== null) return { kind: 'error', body: value }
  const hasUsage = value.usage !== undefined && value.usage !== null
  if (!Array.isArray(value.choices) && !(hasUsage && value.choices === undefined))
    return { kind: 'malformed' }
  const choices = (value.choices ?? []) as unknown[]
  return {
    value,
    choices,
    object: membersOf(data),
    tokens: choices.filter(carriesText).length,
    textBytes: choices.reduce<number>((sum, choice) => sum + choiceTextBytes(choice), 0),
    finishReason: finishReasonOf(choices),
    choiceEnds: choices.filter(isObject).map(({ index, finish_reason: reason }) => {
      // It is kept until the stream ends: anything but a number might be as long as an event.
      return [typeof index === 'number' ? index : 0, isReason(reason)]
    }),
    usage: hasUsage ? parseUsage(value.usage, operation) : undefined,
    hasUsage,
  }
}

/** The edits that make a backend's chunk the router's. */
export function chunkEdits(chunk: Chunk, changes: Changes, keepsNullUsage: boolean): Edit[] {
  const stripsUsage = chunk.hasUsage || !keepsNullUsage
  return editsOf(chunk.object, stripsUsage ? { ...changes, usage: undefined } : changes)
}

/** The event to send for a chunk: the same bytes but for the members that change. */
export function eventOf(data: Buffer, edits: readonly Edit[]): Buffer {
  const start = { start: 0, end: 0, text: EVENT_START }
  const end = { start: data.length, end: data.length, text: EVENT_END }
  const event = applyEdits(data, [start, ...edits, end])
  oneLine(event.subarray(0, -EVENT_END.length))
  return event
}

/** Makes these bytes one line. Line feeds in JSON are white space; in an event they would end the line. */
export function oneLine(json: Buffer): Buffer {
  for (let at = json.indexOf(LF); at >= 0; at = json.indexOf(LF, at + 1)) json[at] = SPACE
  return json
}

/** Learns what the events like this one have in common; undefined when no single string can be set apart. */
export function templateOf(
  raw: Buffer,
  data: Buffer,
  chunk: Chunk,
  edits: readonly Edit[],
): Template | undefined {
  const lead = data.byteOffset - raw.byteOffset
  const isOneLine = data.buffer === raw.buffer && (lead === 5 || lead === 6) && data.indexOf(LF) === -1
  if (!isOneLine || raw.at(-1) !== LF || chunk.hasUsage || chunk.choices.length !== 1) return undefined
  if (chunk.finishReason !== undefined) return undefined
  const text = textSpan(data, chunk)
  if (text === undefined) return undefined
  const out = eventOf(data, edits)
  const outStart = EVENT_START.length + positionAfter(edits, text.start)
  const outEnd = EVENT_START.length + positionAfter(edits, text.end)
  const [prefix, suffix, outPrefix, outSuffix] = inOwnMemory([
    raw.subarray(0, lead + text.start),
    raw.subarray(lead + text.end),
    out.subarray(0, outStart),
    out.subarray(outEnd),
  ])
  return { prefix: prefix!, suffix: suffix!, outPrefix: outPrefix!, outSuffix: outSuffix! }
}

/** The inside of the string that carries the chunk's text, without its quotes. */
function textSpan(data: Buffer, chunk: Chunk): { readonly start: number; readonly end: number } | undefined {
  const path = onlyTextOf(chunk.choices[0])
  if (path === undefined) return undefined
  const choices = findMember(chunk.object, 'choices')
  let at = choices && firstElementOf(data, choices.valueStart)
  let end = 0
  for (const name of path) {
    const member = at === undefined ? undefined : findMember(membersOf(data, at), name)
    at = member?.valueStart
    end = member?.end ?? 0
  }
  return at !== undefined && data[at] === byte.quote ? { start: at + 1, end: end - 1 } : undefined
}
