import type { Refused } from '#egress/refused.ts'
import { ApiError } from '../errors.ts'

const SENT_NOTHING = 'Nothing was sent: the external endpoint of this model is not admitted.'
const REVOKED = 'The external endpoint of this model was admitted and is no longer.'
const SOON = 'Try again in a moment.'
const ELSEWHERE = 'Use another model, or ask the administrator of this router.'
const NEVER = 'Do not repeat the request before the administrator of this router has acted.'

/** In the router's words, which speak of its verdict on an upstream by stages of its own (ERR-47). */
export function refusalOf({ code, ground, heals, headers }: Refused): ApiError {
  const { stage, reason, message } = ground
  const words =
    code === 'attestation_revoked'
      ? `${REVOKED} ${message} ${NEVER}`
      : `${SENT_NOTHING} ${message} ${heals ? SOON : ELSEWHERE}`
  return new ApiError(code, words, { headers, verdict: { stage: `upstream-${stage}`, reason } })
}
