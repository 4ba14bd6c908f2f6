import type { AttestationError } from '#attestation'

/** The codes by which a verifier refuses: nothing was sent, or what was sent is given up (ERR-32, ERR-33). */
export type RefusalCode = 'attestation_failed' | 'attestation_revoked'

const NO_RETRY = { 'x-should-retry': 'false' } as const
const LATER = { 'Retry-After': '1' } as const
const RETRY_SOON = { ...LATER, 'x-should-retry': 'true' } as const

/** Why a verifier sends nothing of a request, or ends one that runs. Whoever answers the client adds the words. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: RefusalCode
  readonly ground: AttestationError
  /** Whether it mends itself, so that the client may try again in a moment. */
  readonly heals: boolean
  /** What the client's library is told of trying again. */
  readonly headers: Readonly<Record<string, string>>

  /** `isRenewing`: the verdict still stands, and the certificate that was met may be signed for at any moment. */
  constructor(code: RefusalCode, ground: AttestationError, { isRenewing = false } = {}) {
    super(ground.message)
    this.code = code
    this.ground = ground
    // No check brings back what an administrator has disabled.
    const isPassing = ground.stage === 'attesting' && ground.reason !== 'disabled'
    this.heals = code === 'attestation_failed' && (isRenewing || isPassing)
    this.headers = this.heals ? RETRY_SOON : whenNotToRepeat(code, ground)
  }
}

/** What was revoked is never to be repeated by a program, even where another request may soon be served (ERR-35). */
function whenNotToRepeat(code: RefusalCode, { stage }: AttestationError): Refused['headers'] {
  return code === 'attestation_revoked' && stage === 'attesting' ? { ...LATER, ...NO_RETRY } : NO_RETRY
}

/** What a request that runs is told when the verdict it goes under ends (VERD-20, VERD-22). */
export class Withdrawn extends Error {
  override readonly name = 'Withdrawn'
  readonly ground: AttestationError

  constructor(ground: AttestationError) {
    super(ground.message)
    this.ground = ground
  }
}
