import type { Digest } from './digest.ts'
import { AttestationError } from './errors.ts'
import type { Json } from './json-value.ts'

/** What a policy may look at: signed values only. */
export interface Candidate {
  readonly hostname: string
  readonly issuedAt: Date
  readonly digest: Digest
  readonly evidence: Json
}

/** A condition of the user's: true allows, false refuses, and everything else counts as no answer. */
export type Policy = (candidate: Candidate) => boolean

/** What a deployment must meet to be approved. */
export interface PolicyExpectation {
  /** Digests of the approved deployments. */
  readonly pins: readonly Digest[]
  readonly policies?: readonly Policy[] | undefined
}

/** Passes a deployment that is pinned and that every policy allows (decisions, 8, stage 6). */
export function checkPolicy(candidate: Candidate, { pins, policies = [] }: PolicyExpectation): void {
  const { digest: evidenceDigest } = candidate
  if (pins.length === 0) throw new AttestationError('policy', 'no_pins', { evidenceDigest })
  if (!pins.includes(evidenceDigest))
    throw new AttestationError('policy', 'digest_not_pinned', { evidenceDigest })
  for (const policy of policies)
    if (!isAllowed(policy, candidate))
      throw new AttestationError('policy', 'policy_refused', { evidenceDigest })
}

function isAllowed(policy: Policy, candidate: Candidate): boolean {
  const failed = (cause?: unknown) =>
    new AttestationError('policy', 'policy_failed', { evidenceDigest: candidate.digest, cause })
  let answer: unknown
  try {
    answer = policy(candidate)
  } catch (cause) {
    throw failed(cause)
  }
  if (typeof answer !== 'boolean') throw failed()
  return answer
}
