import { type Admission, AttestationError, checkPolicy, type Expectation } from '#attestation'
import type { Attest, Outcome } from '#egress/evidence/attest.ts'
import { expectationBytes, expectationDocument } from './journal/expectation.ts'

/** Whether two say the same of an endpoint, policies by their text. */
export function areEqual(one: Expectation, other: Expectation): boolean {
  return bytesOf(one).equals(bytesOf(other))
}

/** Checks by what is expected when the check ends; one that it changed under is made again. */
export function attestUnder(
  expected: () => Expectation,
  attest: Attest,
): (newestIssuedAt: Date | undefined, signal: AbortSignal) => Promise<Outcome> {
  return async (newestIssuedAt, signal) => {
    for (;;) {
      const judged = expected()
      const outcome = await attest(judged, newestIssuedAt, signal)
      if (expected() === judged || signal.aborted) return outcome
    }
  }
}

/**
 * Why an admission cannot stand by another expectation; undefined when nothing that is known of it speaks against it.
 * It is asked before any new evidence is, so that what is withdrawn ends while the platform cannot be reached too.
 */
export function findObjection(
  admission: Admission,
  { roots, pins, policies }: Expectation,
): AttestationError | undefined {
  try {
    if (!roots.some(({ fingerprint }) => fingerprint === admission.rootFingerprint))
      throw new AttestationError('untrusted-root', 'root_not_trusted')
    checkPolicy(admission, { pins, policies })
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    return thrown
  }
}

function bytesOf(expected: Expectation): Buffer {
  return expectationBytes(expectationDocument('', expected))
}
