import { limits } from '#contract/limits'

/** Most seconds that a backend can ask a client, or the router, to wait: SDKs ignore more (RLAY-05, LIM-28). */
const MAX_SECONDS = limits.maxRetryAfterSeconds

const SECONDS = /^\d{1,10}$/
const HTTP_DATE = /^[A-Za-z]{3}, [\w: ]{1,40} GMT$/

/** Reads a `Retry-After` in either of its forms, as whole seconds from `nowMs` on; undefined when it is neither. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined
  if (SECONDS.test(value)) return Math.min(MAX_SECONDS, Number(value))
  const atMs = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(atMs)) return undefined
  return Math.min(MAX_SECONDS, Math.max(0, Math.ceil((atMs - nowMs) / 1_000)))
}
