import type { AttestationError } from '#attestation'
import { type ErrorCode, errors } from '#contract/errors'
import { limits } from '#contract/limits'
import type { Refused } from '#egress/refused.ts'

/** What the proxy itself answers instead of passing a request on. */
export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** Why a verifier refuses (ERR-29). */
  readonly ground?: AttestationError
}

const NO_RETRY = { 'x-should-retry': 'false' } as const

const heads = {
  attestation_failed: 'Nothing was sent: the endpoint is not admitted.',
  attestation_revoked: 'The endpoint was admitted and is no longer.',
} as const

/** In the proxy's words: what the refusal means, and what mends it. */
export function refusalOf({ code, ground, headers }: Refused): Refusal {
  return { code, message: `${heads[code]} ${ground.message} ${ground.remedy}`.trimEnd(), headers, ground }
}

/** The connection failed; once a byte of the request had left, repeating it might be paid twice (PRXY-17). */
export function unavailable(isSent: boolean): Refusal {
  return {
    code: 'backend_unavailable',
    message: isSent
      ? 'The connection to the endpoint was lost before its answer was complete.'
      : 'No connection to the endpoint came about; nothing was sent.',
    headers: isSent ? NO_RETRY : {},
  }
}

/** What the endpoint answered cannot be passed on: an event beyond all bounds. */
export function unusable(): Refusal {
  return {
    code: 'backend_error',
    message: 'The endpoint answered with an event that is longer than any may be.',
    headers: NO_RETRY,
  }
}

/** The caller is not one that this listener is for (PRXY-18). */
export function forbidden(message: string): Refusal {
  return { code: 'forbidden_origin', message, headers: NO_RETRY }
}

/** What cannot be passed on as HTTP. */
export function malformed(): Refusal {
  return {
    code: 'invalid_json',
    message: 'This is not a well-formed HTTP/1.1 request for this listener.',
    headers: { Connection: 'close' },
  }
}

/** The refusal of a head that is not whole in its time (REQ-72). */
export function headersTooSlow(): Refusal {
  return {
    code: 'request_timeout',
    message: 'The request line and the headers did not arrive in time.',
    headers: {},
  }
}

/** The refusal of a head that is larger than anybody reads. */
export function headersTooLarge(): Refusal {
  return {
    code: 'headers_too_large',
    message: `The request line and the headers have more than ${limits.maxHeaderBytes} bytes.`,
    headers: {},
  }
}

/** The status that goes with a refusal. */
export function statusOf({ code }: Refusal): number {
  return errors[code].status
}

/** The wire shape: `stage` and `reason` stand beside `error` (ERR-01, ERR-29). */
export function bodyOf({ code, message, ground }: Refusal): string {
  const { stage, reason } = ground ?? {}
  return JSON.stringify({ error: { message, type: errors[code].type, code }, stage, reason })
}
