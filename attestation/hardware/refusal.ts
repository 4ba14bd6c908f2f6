import type { ReasonOf } from '#contract/reasons'
import { AttestationError } from '../errors.ts'

const STAGE = 'untrusted-root'

/** Why hardware evidence is refused, of the closed catalogue. */
export type HardwareReason = ReasonOf<typeof STAGE>

/** A refusal of the root, for the hardware that is demanded of it. */
export function refusal(reason: HardwareReason, cause?: unknown): AttestationError {
  return new AttestationError(STAGE, reason, { cause })
}

/**
 * Gives what `read` returns. A refusal of hardware that it throws passes through; all else, a refusal by a check of
 * chains too, becomes this one.
 */
export function orRefuse<T>(reason: HardwareReason, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof AttestationError && cause.stage === STAGE) throw cause
    throw refusal(reason, cause)
  }
}

/** Refuses what does not hold. */
export function demand(holds: boolean, reason: HardwareReason): asserts holds {
  if (!holds) throw refusal(reason)
}
