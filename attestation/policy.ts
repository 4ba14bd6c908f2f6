import type { ReasonOf } from '#contract/reasons'
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

/** A condition of the user's. */
export interface Policy {
  /** What refusals call it. */
  readonly name: string
  /** The condition as it was written: for whoever writes down what was expected. */
  readonly allow: string
  /** True allows, false refuses, and everything else counts as no answer. */
  allows(candidate: Candidate): boolean
}

/** What a deployment must meet to be approved. */
export interface PolicyExpectation {
  /** Digests of the approved deployments. */
  readonly pins: readonly Digest[]
  readonly policies?: readonly Policy[] | undefined
}

/** Passes a deployment that is pinned and that every policy allows (VRFY-22, VRFY-23). */
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
