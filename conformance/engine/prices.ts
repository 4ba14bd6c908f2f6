import assert from 'node:assert/strict'
import { isObject } from '#base/object.ts'
import { costMicros } from './books.ts'
import type { Context } from './context.ts'
import { expectStatus } from './expect.ts'
import { objectOf } from './http/exchange.ts'
import type { ModelName } from './target.ts'

/** Micro-dollars per million tokens, and how much a model can take. */
export interface Priced {
  readonly promptMicros: number
  readonly completionMicros: number
  readonly contextLength: number
  readonly maxOutputTokens: number
}

/** Reads prices and sizes from the product's own entry of a model; asserts that they are whole numbers. */
export async function priceOf(context: Context, name: ModelName = 'chat'): Promise<Priced> {
  const exchange = await context.request('getModel', { params: { id: context.model(name) } })
  expectStatus(exchange, 200)
  const { pricing, context_length: contextLength, max_output_tokens: maxOutputTokens } = objectOf(exchange)
  assert.ok(isObject(pricing), 'the model has no pricing')
  const priced = {
    promptMicros: Number(pricing.prompt_per_1m_micros),
    completionMicros: Number(pricing.completion_per_1m_micros),
    contextLength: Number(contextLength),
    maxOutputTokens: Number(maxOutputTokens),
  }
  for (const [what, value] of Object.entries(priced))
    assert.ok(Number.isInteger(value), `${what} is no whole number`)
  return priced
}

/** The hold of a request in micro-dollars: the most that it can cost, taking each byte for a token (CRED-05). */
export function holdFor(
  priced: Priced,
  size: { readonly bodyBytes: number; readonly outputCap: number; readonly templateTokens: number },
): number {
  const promptTokens = Math.min(priced.contextLength, size.bodyBytes + size.templateTokens)
  return costMicros({ promptTokens, completionTokens: size.outputCap }, priced)
}
