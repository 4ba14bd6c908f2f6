import { limits } from '#contract/limits'
import type { Generation } from '#contract/models'
import type { components } from '#contract/types'
import type { LineOf } from '../journal/line.ts'

/** Something that is not equal. */
export type Difference = components['schemas']['ReconciliationDifference']

type Check = Difference['check']
type Seen = LineOf<'generation'>

/** Micro-dollars per million tokens. */
export interface Price {
  readonly promptMicros: number
  readonly completionMicros: number
}

/** What the router says of one generation: undefined where it says nothing. */
export interface Statement {
  readonly record: Generation | undefined
  readonly price: Price | undefined
}

const TOKENS_PER_PRICE = BigInt(limits.tokensPerPrice)

/** What tokens cost, rounded up to one micro-dollar, worked out anew and in integers (MET-03). */
export function priceOf(promptTokens: number, completionTokens: number, price: Price): bigint {
  const total =
    BigInt(promptTokens) * BigInt(price.promptMicros) +
    BigInt(completionTokens) * BigInt(price.completionMicros)
  return (total + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE
}

/** Compares what the proxy saw of a generation with what the router says of it; every difference is told. */
export function compareGeneration(seen: Seen, { record, price }: Statement): Difference[] {
  const { id: generation } = seen
  const differences: Difference[] = []
  const expectEqual = (check: Check, expected: unknown, actual: unknown): void => {
    if (expected === actual) return
    differences.push({ generation, check, expected: textOf(expected), actual: textOf(actual) })
  }
  if (record === undefined) {
    differences.push({ generation, check: 'missing_record', expected: generation, actual: null })
  }
  const model = record?.model ?? seen.model
  if (price === undefined && model !== null) {
    differences.push({ generation, check: 'no_price', expected: model, actual: null })
  }
  const { prompt_tokens, completion_tokens, cost_micros } = seen
  const isSeen = prompt_tokens !== null && completion_tokens !== null && cost_micros !== null
  if (isSeen && price !== undefined) {
    expectEqual('answer_price', priceOf(prompt_tokens, completion_tokens, price), BigInt(cost_micros))
  }
  if (record === undefined) return differences
  if (price !== undefined) {
    const own = priceOf(record.prompt_tokens, record.completion_tokens, price)
    expectEqual('record_price', own, BigInt(record.cost_micros))
  }
  if (isSeen) {
    expectEqual('prompt_tokens', prompt_tokens, record.prompt_tokens)
    expectEqual('completion_tokens', completion_tokens, record.completion_tokens)
    expectEqual('cost_micros', cost_micros, record.cost_micros)
    expectEqual('endpoint', seen.served_by, record.endpoint)
    expectEqual('evidence_digest', seen.served_digest, record.evidence_digest)
  }
  if (seen.model !== null) expectEqual('model', seen.model, record.model)
  expectEqual('ledger_amount', -BigInt(record.cost_micros), BigInt(record.ledger.amount_micros))
  return differences
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}
