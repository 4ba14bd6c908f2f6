import type { ReasonOf } from '#contract/reasons'
import type { Digest } from './digest.ts'
import { AttestationError } from './errors.ts'
import type { Json } from './json-value.ts'

/** What a policy may look at: values that were signed, and no others (BNDL-20). */
export interface Candidate {
  readonly hostname: string
  readonly issuedAt: Date
  readonly digest: Digest
  readonly evidence: Json
}

/** A condition that the user sets beside the pins. */
export interface Policy {
  /** Name of the policy, as refusals give it. */
  readonly name: string
  /** The condition as it was written; it is recorded with the expectation, and not evaluated here. */
  readonly allow: string
  /** True allows, false refuses; a throw or any other value is a refusal of its own, `policy_failed`. */
  allows(candidate: Candidate): boolean
}

/** What a deployment must meet: one of the pins, and every policy. */
export interface PolicyExpectation {
  /** Digests of the approved deployments. */
  readonly pins: readonly Digest[]
  readonly policies?: readonly Policy[] | undefined
}

/**
 * Refuses (`policy`) when there are no pins (`no_pins`), the digest is none of them (`digest_not_pinned`), or a policy
 * says no (`policy_refused`) or gives no answer (`policy_failed`); the error names the policy (VRFY-22, VRFY-23).
 */
export function checkPolicy(candidate: Candidate, { pins, policies = [] }: PolicyExpectation): void {
  const { digest: evidenceDigest } = candidate
  if (pins.length === 0) throw new AttestationError('policy', 'no_pins', { evidenceDigest })
  if (!pins.includes(evidenceDigest))
    throw new AttestationError('policy', 'digest_not_pinned', { evidenceDigest })
  for (const policy of policies)
    if (!isAllowed(policy, candidate)) throw refusal('policy_refused', policy, candidate)
}

function isAllowed(policy: Policy, candidate: Candidate): boolean {
  let answer: unknown
  try {
    answer = policy.allows(candidate)
  } catch (cause) {
    throw refusal('policy_failed', policy, candidate, cause)
  }
  if (typeof answer !== 'boolean') throw refusal('policy_failed', policy, candidate)
  return answer
}

function refusal(
  reason: ReasonOf<'policy'>,
  { name: policy }: Policy,
  { digest: evidenceDigest }: Candidate,
  cause?: unknown,
): AttestationError {
  return new AttestationError('policy', reason, { evidenceDigest, policy, cause })
}
