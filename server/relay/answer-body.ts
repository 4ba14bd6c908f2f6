import { isUtf8 } from 'node:buffer'
import { isObject } from '#base/object.ts'
import { findMember, type ObjectSpan } from '../json/members.ts'
import { spell } from '../json/spell.ts'
import { splice } from '../json/splice.ts'
import { uniqueMembers } from '../json/unique.ts'
import type { RunningGeneration, Usage } from '../metering/generation.ts'
import { type Operation, operations } from '../operation.ts'
import { countCompletionTokens } from './count.ts'
import { finishReasonOf } from './finish-reason.ts'
import { unusableError } from './refusals.ts'
import { carriesText, choiceTextBytes } from './text.ts'
import { parseUsage, type ReportedUsage, type Settled, shownUsage } from './usage.ts'

/** A backend's whole answer and what it says. */
export interface WholeAnswer {
  readonly bytes: Buffer
  readonly object: ObjectSpan
  readonly finishReason: string | null
  readonly reported: ReportedUsage | undefined
  /** The router's own count of what the model wrote. */
  readonly countedCompletionTokens: number
}

/** Reads the body of a 200. Throws 502 `backend_error` for whatever is no answer (S-04). */
export function parseAnswer(received: Buffer, operation: Operation): WholeAnswer {
  const value = parseObject(received)
  const hasError = value.error !== undefined && value.error !== null
  if (hasError || !Array.isArray(value[operations[operation].answerList])) throw unusableError()
  const choices = Array.isArray(value.choices) ? (value.choices as unknown[]) : []
  const { bytes, object } = uniqueMembers(received)
  return {
    bytes,
    object,
    finishReason: finishReasonOf(choices) ?? null,
    reported: reportedUsage(bytes, object, parseUsage(value.usage, operation)),
    countedCompletionTokens: countCompletion(choices),
  }
}

/** The answer as the client gets it: the backend's bytes but for `id`, `model` and `usage` (CHAT-02, CHAT-05). */
export function answerBody(answer: WholeAnswer, generation: RunningGeneration, settled: Settled): Buffer {
  const { bytes, object, reported } = answer
  const hasId = operations[generation.operation].hasId || findMember(object, 'id') !== undefined
  return splice(bytes, object, {
    ...(hasId ? { id: JSON.stringify(generation.id) } : {}),
    model: spell(generation.model),
    usage: shownUsage(generation, settled, reported),
  })
}

function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  // Clients that are strict about it would die of it, and those that are not would each read something else.
  if (!isUtf8(bytes)) throw unusableError()
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch {
    // The parser's own words would repeat some of the answer; they go nowhere.
    throw unusableError()
  }
  if (!isObject(value)) throw unusableError()
  return value
}

function reportedUsage(
  bytes: Buffer,
  object: ObjectSpan,
  usage: Usage | undefined,
): ReportedUsage | undefined {
  const member = findMember(object, 'usage')
  if (usage === undefined || member === undefined) return undefined
  return { usage, bytes: bytes.subarray(member.valueStart, member.end) }
}

function countCompletion(choices: readonly unknown[]): number {
  const bytes = choices.reduce<number>((sum, choice) => sum + choiceTextBytes(choice), 0)
  return countCompletionTokens(choices.filter(carriesText).length, bytes)
}
