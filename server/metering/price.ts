import { limits } from '#contract/limits'
import type { Pricing, Usage } from './generation.ts'

const TOKENS_PER_PRICE = BigInt(limits.tokensPerPrice)

/** What a generation costs, rounded up to one micro-dollar (MET-03). */
export function costMicros(usage: Usage, pricing: Pricing): number {
  const total =
    BigInt(usage.promptTokens) * BigInt(pricing.promptMicros) +
    BigInt(usage.completionTokens) * BigInt(pricing.completionMicros)
  return toSafeNumber((total + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE)
}

/** JSON integers must be exact: an amount beyond 2^53 is a fault, never a rounded figure. */
function toSafeNumber(micros: bigint): number {
  const number = Number(micros)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${micros} micro-dollars exceed a safe integer`)
  return number
}
