import { spell } from '../json/spell.ts'
import { splice } from '../json/splice.ts'
import { uniqueMembers } from '../json/unique.ts'
import { type Billed, isCount } from '../metering/billable.ts'
import type { Receipt, RunningGeneration, Usage } from '../metering/generation.ts'
import { type Operation, operations } from '../operation.ts'

/** Token counts as the backend reported them, with the bytes it reported them in. */
export interface ReportedUsage {
  readonly usage: Usage
  /** The `usage` object; the client is given all of its members. */
  readonly bytes: Buffer
}

/** What is in the books of a generation that has ended. */
export interface Settled extends Billed {
  readonly receipt: Receipt
}

/** Reads a backend's `usage`; whatever is not two counts is undefined, that is, missing (S-05, M-04). */
export function parseUsage(value: unknown, operation: Operation): Usage | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = value as Record<
    string,
    unknown
  >
  if (!isCount(promptTokens)) return undefined
  // Embeddings complete nothing and cost their prompt alone, whatever a backend counts beside it (CHAT-16).
  if (!operations[operation].generates) return { promptTokens, completionTokens: 0 }
  return isCount(completionTokens) ? { promptTokens, completionTokens } : undefined
}

/**
 * The `usage` that the client is shown: what was billed, the three of the contract (CHAT-05), and beside them the
 * backend's other members where its counts are what was billed. The counts are written anew, so that they are whole
 * numbers that add up, whatever a backend calls its total.
 */
export function shownUsage(
  generation: RunningGeneration,
  { usage, usageSource, receipt }: Settled,
  reported: ReportedUsage | undefined,
): Buffer {
  const told = usageSource === 'backend' ? reported?.bytes : undefined
  const { bytes, object } = uniqueMembers(told ?? Buffer.from('{}'))
  const { promptTokens, completionTokens } = usage
  // An embedding completes nothing, and says so where its backend speaks of that.
  const hasCompletion =
    operations[generation.operation].generates ||
    object.members.some(({ name }) => name === 'completion_tokens')
  return splice(bytes, object, {
    prompt_tokens: String(promptTokens),
    completion_tokens: hasCompletion ? String(completionTokens) : undefined,
    total_tokens: String(promptTokens + completionTokens),
    cost_micros: String(receipt.costMicros),
    endpoint: spell(generation.endpoint),
    evidence_digest: spell(generation.evidenceDigest),
  })
}
