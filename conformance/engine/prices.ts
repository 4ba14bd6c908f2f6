import { isObject } from '#base/object.ts'
import type { RuleId } from '#contract/rules'
import { failAs } from './assert.ts'
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

/** Who reads an entry's member breaks the rules of that member where it is not there. */
const rulesOf: Readonly<Record<keyof Priced, readonly RuleId[]>> = {
  promptMicros: ['MODL-16'],
  completionMicros: ['MODL-16'],
  contextLength: ['MODL-02'],
  maxOutputTokens: ['MODL-14'],
}

/** Reads prices and sizes from the product's own entry of a model; asserts that they are whole numbers. */
export async function priceOf(context: Context, name: ModelName = 'chat'): Promise<Priced> {
  const exchange = await context.request('getModel', { params: { id: context.model(name) } })
  expectStatus(exchange, 200)
  const { pricing, context_length: contextLength, max_output_tokens: maxOutputTokens } = objectOf(exchange)
  if (!isObject(pricing)) return failAs(['MODL-03'], 'the model has no pricing')
  const priced = {
    promptMicros: Number(pricing.prompt_per_1m_micros),
    completionMicros: Number(pricing.completion_per_1m_micros),
    contextLength: Number(contextLength),
    maxOutputTokens: Number(maxOutputTokens),
  }
  for (const [what, value] of Object.entries(priced)) {
    if (!Number.isInteger(value)) failAs(rulesOf[what as keyof Priced], `${what} is no whole number`)
  }
  return priced
}

/** How many tokens a model's window holds, as its entry tells it. */
export async function windowOf(context: Context, name: ModelName = 'chat'): Promise<number> {
  const exchange = await context.request('getModel', { params: { id: context.model(name) } })
  expectStatus(exchange, 200)
  const { context_length: window } = objectOf(exchange)
  if (!Number.isInteger(window)) failAs(rulesOf.contextLength, 'context_length is no whole number')
  return Number(window)
}

/** The hold of a request in micro-dollars: the most that it can cost, taking each byte for a token (CRED-05). */
export function holdFor(
  priced: Priced,
  size: { readonly bodyBytes: number; readonly outputCap: number; readonly templateTokens: number },
): number {
  const promptTokens = Math.min(priced.contextLength, size.bodyBytes + size.templateTokens)
  return costMicros({ promptTokens, completionTokens: size.outputCap }, priced)
}

/**
 * All prices that an entry's `pricing` tells, by value: what its members are called, how deep they stand and whether a
 * price is a number or its decimal text is left open.
 */
export function pricesIn(pricing: unknown): readonly number[] {
  if (isObject(pricing)) return Object.values(pricing).flatMap(pricesIn)
  if (Array.isArray(pricing)) return pricing.flatMap(pricesIn)
  const isWritten = typeof pricing === 'string' && /^\d+(\.\d+)?$/.test(pricing)
  const value = isWritten ? Number(pricing) : pricing
  return typeof value === 'number' && value >= 0 ? [value] : []
}

/** What a generation was charged, as its `usage` tells it. */
export interface Charged {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost_micros: number
}

/** The prices that the entry of the model `chat` tells, in micro-dollars for a million tokens. */
export async function listedPrices(context: Context): Promise<readonly number[]> {
  const exchange = await context.request('getModel', { params: { id: context.model() } })
  expectStatus(exchange, 200)
  return pricesIn(objectOf(exchange).pricing)
}

/** Whether two of these prices, one for the prompt and one for the completion, make all of these costs (MET-01). */
export function isPricedBy(prices: readonly number[], charged: readonly Charged[]): boolean {
  return isMadeOf(prices, charged, (cost, exact) => cost === Math.ceil(exact))
}

/** The same of costs that are rounded to a whole micro-dollar in whichever way. */
export function isNearlyPricedBy(prices: readonly number[], charged: readonly Charged[]): boolean {
  return isMadeOf(prices, charged, (cost, exact) => Math.abs(cost - exact) < 1)
}

function isMadeOf(
  prices: readonly number[],
  charged: readonly Charged[],
  isCostOf: (cost: number, exact: number) => boolean,
): boolean {
  const pairs = prices.flatMap((prompt) => prices.map((completion) => [prompt, completion] as const))
  return pairs.some(([prompt, completion]) =>
    charged.every((one) => {
      const total = one.prompt_tokens * prompt + one.completion_tokens * completion
      return isCostOf(one.cost_micros, total / 1_000_000)
    }),
  )
}
