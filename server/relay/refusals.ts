import { isObject } from '#base/object.ts'
import { ApiError, OPERATORS_TURN } from '../errors.ts'
import { type Operation, operations } from '../operation.ts'
import type { BackendConfig } from './backend.ts'
import { isContextLengthRefusal } from './context-length.ts'
import { parseRetryAfter } from './retry-after.ts'
import { withoutSecrets } from './secrets.ts'

/** A backend's answer that is no answer. */
export interface BackendRefusal {
  readonly status: number
  readonly retryAfter: string | undefined
  /** The body, as JSON if it was any. */
  readonly body: unknown
}

/** Characters of a backend's message that are relayed. */
const MAX_MESSAGE_LENGTH = 1_000
const MAX_PARAM_LENGTH = 128

/** The error for a backend's status and body (RLAY-04). Only what a 400 or 422 says is told to the client. */
export function refusalError(
  refusal: BackendRefusal,
  operation: Operation,
  backend: BackendConfig,
): ApiError {
  const { status, retryAfter, body } = refusal
  if (status === 400 || status === 422) return mistakeError(body, operation, backend)
  if (status === 413) return tooLargeError()
  if (status === 408 || status === 429 || status >= 500) return unavailableError({ retryAfter })
  return unusableError()
}

/** The backend cannot be reached, has died, is too slow or asks to be left alone: 502 `backend_unavailable`. */
export function unavailableError({
  retryAfter,
  cause,
}: {
  readonly retryAfter?: string | undefined
  readonly cause?: unknown
} = {}): ApiError {
  const seconds = parseRetryAfter(retryAfter, Date.now())
  const headers = seconds === undefined ? {} : { 'Retry-After': String(seconds) }
  return new ApiError('backend_unavailable', 'The model backend is not available. Try again shortly.', {
    headers,
    cause,
  })
}

/** The backend answered with what the relay cannot use: 502 `backend_error`. */
export function unusableError(): ApiError {
  const message = `The model backend failed to answer this request. ${OPERATORS_TURN}`
  return new ApiError('backend_error', message)
}

/** What is too large for a backend is too large for the client's model, whatever the router itself would take. */
function tooLargeError(): ApiError {
  return new ApiError('request_too_large', 'The request is larger than the model backend takes. Send less.')
}

/** A client's mistake must never come back as a 502, or SDKs would repeat it. */
function mistakeError(body: unknown, operation: Operation, backend: BackendConfig): ApiError {
  const { message, param, code, type } = parseMistake(body)
  const shown = withoutSecrets(message, backend).slice(0, MAX_MESSAGE_LENGTH)
  if (isContextLengthRefusal({ message, code, type })) {
    return new ApiError('context_length_exceeded', shown, { param: operations[operation].prompt })
  }
  const named = param === undefined ? undefined : withoutSecrets(param, backend)
  const details = named === undefined ? {} : { param: named.slice(0, MAX_PARAM_LENGTH) }
  return new ApiError('unsupported_parameter', shown || 'The model backend refused this request.', details)
}

interface Mistake {
  readonly message: string
  readonly param: string | undefined
  readonly code: unknown
  readonly type: unknown
}

/** Reads `{error: {…}}`, `{error: "…"}`, vLLM's flat `{message, …}` and FastAPI's `{detail}`. */
function parseMistake(body: unknown): Mistake {
  const outer = isObject(body) ? body : {}
  if (typeof outer.error === 'string')
    return { message: outer.error, param: undefined, code: null, type: null }
  const inner = isObject(outer.error) ? outer.error : outer
  const { message, param, code, type } = inner
  if (typeof message === 'string') return { message, param: text(param), code, type }
  return parseDetail(outer.detail)
}

function parseDetail(detail: unknown): Mistake {
  if (typeof detail === 'string') return { message: detail, param: undefined, code: null, type: null }
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined
  const { loc, msg } = isObject(first) ? first : {}
  const path = Array.isArray(loc) ? loc.filter((part) => part !== 'body') : []
  const param = path.length > 0 ? path.join('.') : undefined
  return { message: text(msg) ?? '', param, code: null, type: null }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
