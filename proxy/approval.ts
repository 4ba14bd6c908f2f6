import { type Admission, AttestationError, checkPolicy } from '#attestation'
import type { Attest } from '#egress/evidence/attest.ts'
import { expectationBytes, expectationDocument, type WrittenApproval } from './journal/expectation.ts'

/** What of an approval may change while the proxy runs: all of it but where the endpoint is. */
export type Expected = Pick<WrittenApproval, 'roots' | 'pins' | 'policies' | 'maxBundleAgeMs'>

/** The approval with what is expected replaced, as a whole; undefined when it says the same as before. */
export function replaceExpected(
  before: WrittenApproval,
  { roots, pins, policies, maxBundleAgeMs }: Expected,
): WrittenApproval | undefined {
  const { target } = before
  const after = { target, roots, pins, policies, maxBundleAgeMs }
  return bytesOf(before).equals(bytesOf(after)) ? undefined : after
}

/** Checks under the approval that is in force when the check ends; one that it changed under is made again. */
export function attestUnder(
  approval: () => WrittenApproval,
  attestWith: (approval: WrittenApproval) => Attest,
): Attest {
  return async (newestIssuedAt, signal) => {
    for (;;) {
      const judged = approval()
      const outcome = await attestWith(judged)(newestIssuedAt, signal)
      if (approval() === judged || signal.aborted) return outcome
    }
  }
}

/**
 * Why an admission cannot stand under another approval; undefined when nothing that is known of it speaks against it.
 * It is asked before any new evidence is, so that what is withdrawn ends while the platform cannot be reached too.
 */
export function findObjection(
  admission: Admission,
  { roots, pins, policies }: Expected,
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

function bytesOf(approval: WrittenApproval): Buffer {
  return expectationBytes(expectationDocument(approval))
}
