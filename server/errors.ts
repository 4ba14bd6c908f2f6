import { type ErrorCode, errors } from '#contract/errors'
import type { Reason, WireStage } from '#contract/reasons'

/** What a refusal carries beside its code and message. */
export interface ApiErrorDetails {
  /** The field of the request that the refusal is about. */
  readonly param?: string | undefined
  /** Response headers that go with the refusal, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /** At which step, and why, a verifier refused (ERR-29). */
  readonly verdict?: Refused | undefined
  readonly cause?: unknown
}

/** A verifier's refusal in its wire form. */
export interface Refused {
  readonly stage: WireStage
  readonly reason: Reason
}

/** The headers without which the contract does not allow a code (ERR-17). */
type RequiredHeader<Code extends ErrorCode> = (typeof errors)[Code]['headers'][number]

type Details<Code extends ErrorCode> = [RequiredHeader<Code>] extends [never]
  ? [details?: ApiErrorDetails]
  : [details: ApiErrorDetails & { readonly headers: Readonly<Record<RequiredHeader<Code>, string>> }]

/** The wire shape of every error (ERR-01). */
export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly code: ErrorCode
    readonly param?: string
  }
  readonly stage?: WireStage
  readonly reason?: Reason
}

/** A refusal for the caller; status and type follow from the code. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ApiError'
  readonly code: Code
  readonly param: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly verdict: Refused | undefined

  constructor(code: Code, message: string, ...[details]: Details<Code>) {
    const { param, headers = {}, verdict, cause }: ApiErrorDetails = details ?? {}
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.param = param
    this.headers = headers
    this.verdict = verdict
  }

  get status(): number {
    return errors[this.code].status
  }

  /** The same refusal with more headers. */
  withHeaders(headers: Readonly<Record<string, string>>): ApiError {
    const { code, message, param, verdict, cause } = this
    const details = { param, headers: { ...this.headers, ...headers }, verdict, cause }
    return new ApiError(code as 'internal', message, details)
  }

  toBody(): ErrorBody {
    const { message, code, param, verdict } = this
    const type = errors[code].type
    return { error: { message, type, code, ...(param === undefined ? {} : { param }) }, ...verdict }
  }
}

/** What a caller can do about a failure that is not its own. */
export const OPERATORS_TURN = 'The operator of this router can find it by its X-Request-Id.'

/** What the caller may see of anything that was thrown: a refusal as it is, all else as a bare `internal`. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const message = `The router failed to handle this request. ${OPERATORS_TURN}`
  return new ApiError('internal', message, { cause: thrown })
}
