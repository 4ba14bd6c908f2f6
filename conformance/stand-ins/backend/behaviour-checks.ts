import { validateHeaderName, validateHeaderValue } from 'node:http'
import { isObject } from '#base/object.ts'
import { type Behaviour, type Fault, type ToolCall, usageShapes, type Wire } from './behaviour.ts'
import {
  anything,
  type Check,
  either,
  flag,
  listOf,
  name,
  object,
  oneOf,
  recordOf,
  text,
  whole,
} from './checks.ts'

// Ours: high enough for any test, low enough that a slip of the pen cannot fill the memory.
const MAX_CHUNKS = 100_000
const MAX_BYTES = 64 * 1024 * 1024
const MAX_MS = 24 * 60 * 60 * 1_000
const MAX_TOKENS = 1_000_000_000
const MAX_INTERIM = 1_000

const afterChunks = whole(0, MAX_CHUNKS)
const duration = whole(0, MAX_MS)
const tokens = whole(0, MAX_TOKENS)
const deltas = either(listOf(text, MAX_CHUNKS), whole(0, MAX_CHUNKS))

const headers: Check = (value, path) => {
  const problems = recordOf(text)(value, path)
  if (problems.length > 0) return problems
  return Object.entries(value as Readonly<Record<string, string>>).flatMap(([key, each]) => {
    try {
      validateHeaderName(key)
      validateHeaderValue(key, each)
      return []
    } catch {
      return [`${path}.${key} is not a header that can be sent`]
    }
  })
}

const faults: Readonly<Record<Fault['kind'], Check>> = {
  refuse: object({ kind: text }),
  silence: object({ kind: text }),
  cut: object({ kind: text, afterChunks, reset: flag, half: flag }, ['afterChunks']),
  eof: object({ kind: text, afterChunks }, ['afterChunks']),
  stall: object({ kind: text, afterChunks }, ['afterChunks']),
  error: object({ kind: text, afterChunks, done: flag }, ['afterChunks']),
  malformed: object({ kind: text, afterChunks, data: text }, ['afterChunks']),
  oversize: object({ kind: text, afterChunks, bytes: whole(1, MAX_BYTES) }, ['afterChunks', 'bytes']),
}

const fault: Check = (value, path) => {
  const kind = isObject(value) ? value.kind : undefined
  const check =
    typeof kind === 'string' && Object.hasOwn(faults, kind) ? faults[kind as Fault['kind']] : undefined
  return check ? check(value, path) : [`${path}.kind must be one of ${Object.keys(faults).join(', ')}`]
}

const toolCall: Record<keyof ToolCall, Check> = {
  id: name,
  name,
  arguments: either(text, listOf(text, MAX_CHUNKS)),
}

const wire: Record<keyof Wire, Check> = {
  lineEnd: oneOf(['lf', 'crlf', 'cr']),
  bom: flag,
  comments: flag,
  noSpace: flag,
  multiLine: flag,
  idLast: flag,
  idPerChunk: flag,
  bytesPerWrite: whole(1, MAX_BYTES),
  eventsPerWrite: whole(1, MAX_CHUNKS),
}

/** What each member of a behaviour must look like. */
export const behaviourChecks: Record<keyof Behaviour, Check> = {
  status: whole(200, 599),
  error: anything,
  headers,
  body: text,
  bytes: text,
  hints: flag,
  untilClose: flag,
  stream: flag,
  chunks: deltas,
  reasoning: deltas,
  toolCalls: listOf(object(toolCall, ['name', 'arguments']), 64),
  finishReason: text,
  fields: recordOf(anything),
  ignoreMaxTokens: flag,
  usage: oneOf(usageShapes),
  promptTokens: tokens,
  completionTokens: tokens,
  interim: listOf(whole(100, 199), MAX_INTERIM),
  beforeHeadersMs: duration,
  beforeFirstChunkMs: duration,
  betweenChunksMs: duration,
  wire: object(wire),
  fault,
  reads: oneOf(['go']),
  closeAfter: flag,
}
