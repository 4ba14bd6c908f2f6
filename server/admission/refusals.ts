import { ApiError } from '../errors.ts'
import { OutageError } from '../store/outage.ts'

/** What the database decides about a request: `admit_generations`. */
export type Decision =
  | 'admitted'
  /** The limits by which the buckets were asked are not the key's; they were not asked, or its limits are new. */
  | 'limits_changed'
  /** The buckets refuse, and nothing else does. */
  | 'rate_limit_exceeded'
  | Exclude<keyof typeof refusals, 'key_spend_held'>

/** What every 401 tells the caller to do (AUTH-05). */
const HINT = 'as `Authorization: Bearer <API_KEY>`.'

/** Every refusal of a key as the caller sees it, wherever it is asked about. */
const refusals = {
  invalid_api_key: () =>
    new ApiError('invalid_api_key', `The API key is missing or wrong. Send your key ${HINT}`),
  api_key_revoked: () =>
    new ApiError('api_key_revoked', `This API key has been revoked. Send another key ${HINT}`),
  api_key_expired: () =>
    new ApiError('api_key_expired', `This API key has expired. Send another key ${HINT}`),
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
  // Its client has been told of an error, or will be before this is heard.
  late: () => new OutageError('the database was reached too late'),
  // The answer to an earlier attempt came too late: its hold has been given back meanwhile.
  settled: () => new Error('the generation was given up before its admission was known'),
} as const satisfies Record<string, () => Error>

/** The error that goes with a refusal. */
export function refusalOf(refusal: keyof typeof refusals): Error {
  return refusals[refusal]()
}
