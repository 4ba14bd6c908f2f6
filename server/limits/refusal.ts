import { ApiError } from '../errors.ts'

const MS_PER_SECOND = 1_000

/** SDKs ignore a `Retry-After` beyond this (decisions, 7). */
const MAX_RETRY_AFTER_SECONDS = 60

/** What a bucket says when it refuses. */
export interface EmptyBucket {
  readonly limit: number
  readonly remaining: number
  /** Until this bucket admits again. */
  readonly waitMs: number
  readonly nowMs: number
}

/** The 429 of one bucket; `Retry-After` is capped, `X-RateLimit-Reset` stays true (decisions, 7). */
export function rateLimitError({ limit, remaining, waitMs, nowMs }: EmptyBucket): ApiError {
  const seconds = Math.max(1, Math.ceil(waitMs / MS_PER_SECOND))
  const retryAfter = Math.min(seconds, MAX_RETRY_AFTER_SECONDS)
  return new ApiError('rate_limit_exceeded', `Too many requests. Try again in ${seconds} s.`, {
    headers: {
      'Retry-After': String(retryAfter),
      'retry-after-ms': String(Math.min(Math.max(1, waitMs), retryAfter * MS_PER_SECOND)),
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(Math.max(0, Math.floor(remaining))),
      'X-RateLimit-Reset': String(Math.ceil((nowMs + waitMs) / MS_PER_SECOND)),
    },
  })
}
