import { outlineOf } from '../json/outline.ts'
import type { RequestBody } from './body-fields.ts'

/**
 * Names of a cap that are no field of the contract, but go before `max_tokens` at a backend that knows them; LiteLLM lays
 * what is in `extra_body` over the rest of the request.
 */
const NAMES = ['n_predict', 'max_new_tokens', 'extra_body']

/**
 * The highest output cap that a request names by a backend's own names (CRED-40): llama.cpp generates `n_predict`
 * tokens whatever `max_tokens` says, and a hold by `max_tokens` alone would be far below what the answer costs.
 * `Infinity` for what is no count, as its -1 for no end; 0 where there is none.
 */
export function highestOtherCap({ bytes, span }: RequestBody): number {
  let highest = 0
  for (const { folded, valueStart, end } of span.members) {
    if (!NAMES.includes(folded ?? '')) continue
    const cap = outlineOf(bytes, valueStart, end)
    if (cap !== null) highest = Math.max(highest, isCap(cap) ? cap : Number.POSITIVE_INFINITY)
  }
  return highest
}

function isCap(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}
