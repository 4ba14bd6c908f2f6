import type { ErrorCode } from '#contract/errors'
import type { ErrorBody } from '#contract/models'

/** What this client says itself where the router could say nothing. */
export type ClientCode =
  /** Nothing answered, or the connection was lost before the end; whether it was billed, the record says. */
  | 'unreachable'
  /** What answered is no error of the contract: a gateway's page, as a rule. */
  | 'unknown'

/** What decides what to do; codes of newer routers are texts that are not listed here. */
export type RouterErrorCode = ErrorCode | ClientCode | (string & {})

/** A call that did not succeed. `code` decides what to do; the rest follows from it or explains it. */
export class RouterError extends Error {
  override readonly name = 'RouterError'
  /** Of the answer; 0 where there was none, and for an error that came within a stream. */
  readonly status: number
  readonly code: RouterErrorCode
  readonly type: string | undefined
  /** The field of the request that is at fault. */
  readonly param: string | undefined
  /** Of a verifier's refusal: which stage refused, and why. */
  readonly stage: string | undefined
  readonly reason: string | undefined
  /** Names the request when the operator is asked. */
  readonly requestId: string | undefined
  /** Of a request that was accepted: its record is at `getGeneration`. */
  readonly generationId: string | undefined
  /** What the router says of another attempt; undefined where it says nothing. */
  readonly shouldRetry: boolean | undefined
  /** After which another attempt is worth it. */
  readonly retryAfterMs: number | undefined

  constructor(
    status: number,
    body: Pick<ErrorBody, 'error' | 'stage' | 'reason'>,
    headers?: Headers,
    cause?: unknown,
  ) {
    super(body.error.message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = body.error.code
    this.type = body.error.type
    this.param = body.error.param
    this.stage = body.stage
    this.reason = body.reason
    this.requestId = headers?.get('x-request-id') ?? undefined
    this.generationId = headers?.get('x-router-generation-id') ?? undefined
    const advice = headers?.get('x-should-retry')
    this.shouldRetry = advice === 'true' ? true : advice === 'false' ? false : undefined
    const seconds = headers?.get('retry-after') ?? ''
    this.retryAfterMs = /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined
  }
}

/** Reads the answer to a request that was refused. */
export async function readRefusal(response: Response): Promise<RouterError> {
  const body: unknown = await response.json().catch(() => undefined)
  const told = isErrorBody(body)
    ? body
    : ownWords('unknown', `The answer was ${response.status}, and no error of the contract.`)
  return new RouterError(response.status, told, response.headers)
}

/** Nothing answered, or not to the end. */
export function unanswered(cause: unknown, headers?: Headers): RouterError {
  return new RouterError(
    0,
    ownWords('unreachable', 'The connection was lost before the end of the answer.'),
    headers,
    cause,
  )
}

/** Whether a document is an error object of the contract. */
export function isErrorBody(body: unknown): body is ErrorBody {
  const { error } = (body ?? {}) as {
    readonly error?: { readonly code?: unknown; readonly message?: unknown }
  }
  return typeof error?.code === 'string' && typeof error.message === 'string'
}

function ownWords(code: ClientCode, message: string): Pick<ErrorBody, 'error'> {
  return { error: { code, message, type: 'client_error' } }
}
