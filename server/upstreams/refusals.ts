import type { AttestationError } from '#attestation'
import { ApiError } from '../errors.ts'

const NO_RETRY = { 'x-should-retry': 'false' } as const
const LATER = { 'Retry-After': '1' } as const
const RETRY_SOON = { ...LATER, 'x-should-retry': 'true' } as const

/** What is known beside the reason of a refusal. */
export interface Circumstances {
  /** Whether the verdict still stands, so that the certificate that was met may be signed for at any moment. */
  readonly isRenewing?: boolean
}

/** No live verdict admits the upstream, or not this connection, and nothing was sent to it (ERR-32). */
export function attestationFailed(
  ground: AttestationError,
  { isRenewing = false }: Circumstances = {},
): ApiError {
  const heals = isRenewing || isPassing(ground)
  const next = heals
    ? 'Try again in a moment.'
    : 'Use another model, or ask the administrator of this router.'
  const message = `Nothing was sent: the external endpoint of this model is not admitted. ${ground.message} ${next}`
  return new ApiError('attestation_failed', message, {
    headers: heals ? RETRY_SOON : NO_RETRY,
    ...wordsOf(ground),
  })
}

/** Whether a refusal heals by itself: a verdict is still to come, and no administrator keeps it from coming. */
function isPassing({ stage, reason }: AttestationError): boolean {
  return stage === 'attesting' && reason !== 'disabled'
}

/** The verdict was withdrawn while the request ran; it must not be repeated until an administrator acts (ERR-35). */
export function attestationRevoked(ground: AttestationError): ApiError {
  const next = 'Do not repeat the request before the administrator of this router has acted.'
  const message = `The external endpoint of this model was admitted and is no longer. ${ground.message} ${next}`
  return new ApiError('attestation_revoked', message, {
    headers: ground.stage === 'attesting' ? { ...LATER, ...NO_RETRY } : NO_RETRY,
    ...wordsOf(ground),
  })
}

/** The router speaks of its verdict on an upstream by stages of its own (ERR-47). */
function wordsOf({ stage, reason }: AttestationError) {
  return { verdict: { stage: `upstream-${stage}`, reason } } as const
}
