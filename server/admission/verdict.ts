import { ApiError } from '../errors.ts'
import { keyRefusals } from './key.ts'

/** What `admit_generations` says of one request. */
export type AdmissionVerdict =
  | 'admitted'
  /** The limits by which the buckets were asked are not the key's; they were not asked, or its limits are new. */
  | 'limits_changed'
  /** The buckets refuse, and nothing else does. */
  | 'rate_limit_exceeded'
  | Exclude<keyof typeof refusals, 'key_spend_held'>

/** Each refusal of admission as the caller sees it. */
const refusals = {
  invalid_api_key: () => new ApiError('invalid_api_key', keyRefusals.invalid_api_key),
  api_key_revoked: () => new ApiError('api_key_revoked', keyRefusals.api_key_revoked),
  api_key_expired: () => new ApiError('api_key_expired', keyRefusals.api_key_expired),
  model_not_in_key_scope: () =>
    new ApiError(
      'model_not_in_key_scope',
      'This key may not use this model. GET /v1/models lists those that it may use.',
      { param: 'model' },
    ),
  insufficient_credits: () =>
    new ApiError('insufficient_credits', 'The workspace has no credit left. Add credit and try again.'),
  credit_held: () =>
    new ApiError(
      'insufficient_credits',
      'Requests that are still running hold all of the remaining credit. Try again when one has ended.',
      { headers: { 'Retry-After': '1' } },
    ),
  key_spend_limit_reached: () =>
    new ApiError(
      'key_spend_limit_reached',
      'This key has reached its spend limit. Raise the limit or use another key.',
    ),
  key_spend_held: () =>
    new ApiError(
      'key_spend_limit_reached',
      'Requests of this key that are still running hold all that its spend limit leaves. Try again when one has ended.',
      { headers: { 'Retry-After': '1' } },
    ),
  // The answer to an earlier attempt came too late: its hold has been given back meanwhile.
  settled: () => new Error('the generation was given up before its admission was known'),
} as const satisfies Record<string, () => Error>

/** The error that goes with a refusal. */
export function refusalOf(verdict: keyof typeof refusals): Error {
  return refusals[verdict]()
}
