import { limits } from '#contract/limits'
import { ApiError } from '../errors.ts'
import type { BucketName } from './metrics.ts'

const MS_PER_SECOND = 1_000

/** What one bucket says about itself. */
export interface BucketState {
  readonly bucket: BucketName
  readonly limit: number
  /** Whole ones that are left. */
  readonly remaining: number
  /** Until it admits; 0 when it does. */
  readonly waitMs: number
  readonly nowMs: number
}

/** What each of them counts, as the caller is told. */
const descriptions: Readonly<Record<BucketName, string>> = {
  key_requests: 'requests a minute of this key',
  workspace_requests: 'requests a minute of this workspace',
  key_tokens: 'tokens a minute of this key',
  workspace_tokens: 'tokens a minute of this workspace',
  invitations: 'invitation look-ups a minute of this address',
  evidence: 'readings of evidence a minute of this address',
  sign_in_codes: 'sign-in codes a minute of this address',
  sign_ins: 'tries to sign in a minute of this address',
  analytics: 'page events a minute of this address',
  console: 'calls a minute of this account',
}

/** The headers that go with a bucket, whether it admits or refuses (LIM-29, LIM-31); the reset is never capped. */
export function rateLimitHeaders({ limit, remaining, waitMs, nowMs }: BucketState) {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil((nowMs + waitMs) / MS_PER_SECOND)),
  }
}

/** The 429 of one bucket. SDKs ignore a `Retry-After` beyond a minute, so it asks for no more (LIM-28). */
export function rateLimitError(state: BucketState): ApiError {
  const waitMs = Math.max(1, state.waitMs)
  const seconds = Math.ceil(waitMs / MS_PER_SECOND)
  const retryAfter = Math.min(seconds, limits.maxRetryAfterSeconds)
  const message = `The limit of ${state.limit} ${descriptions[state.bucket]} is reached. Try again in ${seconds} s.`
  return new ApiError('rate_limit_exceeded', message, {
    headers: {
      'Retry-After': String(retryAfter),
      'retry-after-ms': String(Math.min(waitMs, retryAfter * MS_PER_SECOND)),
      ...rateLimitHeaders(state),
    },
  })
}
