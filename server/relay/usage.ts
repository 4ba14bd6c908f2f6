import { splice } from '../json/splice.ts'
import { uniqueMembers } from '../json/unique.ts'
import type { Operation, Receipt, RunningGeneration, Usage } from '../metering/generation.ts'

/** Token counts as the backend reported them, with the bytes it reported them in. */
export interface ReportedUsage {
  readonly usage: Usage
  /** The `usage` object; the client is given all of its members. */
  readonly bytes: Buffer
}

/** A count beyond this is no count: the wire's integers hold 32 bits. */
const MAX_TOKENS = 2_147_483_647

/** Reads a backend's `usage`; whatever is not two counts is undefined, that is, missing (S-05, M-04). */
export function parseUsage(value: unknown, operation: Operation): Usage | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = value as Record<
    string,
    unknown
  >
  if (!isCount(promptTokens)) return undefined
  // Embeddings complete nothing and cost their prompt alone, whatever a backend counts beside it (decisions, 5).
  if (operation === 'embeddings') return { promptTokens, completionTokens: 0 }
  return isCount(completionTokens) ? { promptTokens, completionTokens } : undefined
}

/** The `usage` that the client is shown: the backend's members, or the counted ones, and the three of §2.3.1. */
export function shownUsage(
  generation: RunningGeneration,
  usage: Usage,
  reported: ReportedUsage | undefined,
  receipt: Receipt,
): Buffer {
  const { bytes, object } = uniqueMembers(
    reported?.bytes ?? Buffer.from(JSON.stringify(countedMembers(usage, generation.operation))),
  )
  const hasTotal = object.members.some(({ name }) => name === 'total_tokens')
  return splice(bytes, object, {
    ...(hasTotal ? {} : { total_tokens: String(usage.promptTokens + usage.completionTokens) }),
    cost_micros: String(receipt.costMicros),
    endpoint: JSON.stringify(generation.endpoint),
    evidence_digest: JSON.stringify(generation.evidenceDigest),
  })
}

function countedMembers({ promptTokens, completionTokens }: Usage, operation: Operation): object {
  const prompt = { prompt_tokens: promptTokens }
  return operation === 'embeddings' ? prompt : { ...prompt, completion_tokens: completionTokens }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS
}
