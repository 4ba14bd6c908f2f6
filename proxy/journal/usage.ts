import { type Digest, parseDigest } from '#attestation'

/** What an answer says it used and cost. */
export interface SeenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: number
  /** The router's endpoint that served it. */
  readonly servedBy: string | null
  /** What had been published for that endpoint. */
  readonly servedDigest: Digest | null
}

/** What the journal remembers of a document: names and counts, each of a form that no text fits into. */
export interface Seen {
  readonly model: string | undefined
  readonly usage: SeenUsage | undefined
}

const NAME = /^[\x21-\x7e]{1,256}$/

/** Reads an answer or an event of one. What is not of the expected form is not seen. */
export function seenIn(text: string): Seen {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { model: undefined, usage: undefined }
  }
  const { model, usage } = membersOf(value)
  return { model: nameOf(model) ?? undefined, usage: usageOf(usage) }
}

function usageOf(value: unknown): SeenUsage | undefined {
  const { prompt_tokens, completion_tokens = 0, cost_micros, endpoint, evidence_digest } = membersOf(value)
  if (!isCount(prompt_tokens) || !isCount(completion_tokens) || !isCount(cost_micros)) return undefined
  return {
    promptTokens: prompt_tokens,
    completionTokens: completion_tokens,
    costMicros: cost_micros,
    servedBy: nameOf(endpoint),
    servedDigest: digestIn(evidence_digest),
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' && NAME.test(value) ? value : null
}

function digestIn(value: unknown): Digest | null {
  try {
    return typeof value === 'string' ? parseDigest(value) : null
  } catch {
    return null
  }
}
