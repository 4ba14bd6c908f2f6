import { type Admission, AttestationError } from '#attestation'
import type { VerificationOutput } from '#contract/models'
import { hardwareDocument } from '#egress/hardware.ts'

/** How a bundle was judged, and what is known of the certificate on the connection. */
export interface Judged {
  readonly verdict: Admission | AttestationError
  readonly binding: VerificationOutput['channel_binding']
}

/** A refusal says nothing about the connection unless the connection itself had passed. */
export function bindingAt(
  { verifiedThrough }: AttestationError,
  isObserved: boolean,
): VerificationOutput['channel_binding'] {
  if (verifiedThrough !== 'tls-fingerprint') return 'none'
  return isObserved ? 'observed' : 'producer-asserted'
}

/** How it was judged, as documents tell it (CMD-17). */
export function verificationDocument({ verdict, binding }: Judged): VerificationOutput {
  const isRefused = verdict instanceof AttestationError
  type StageOutput = VerificationOutput['verified_through']
  return {
    admitted: !isRefused,
    verified_through: isRefused ? (verdict.verifiedThrough as StageOutput) : 'policy',
    stage: isRefused ? (verdict.stage as StageOutput) : null,
    reason: isRefused ? verdict.reason : null,
    evidence_digest: (isRefused ? verdict.evidenceDigest : verdict.digest) ?? null,
    channel_binding: binding,
    hardware: isRefused || verdict.hardware === null ? null : hardwareDocument(verdict.hardware),
  }
}
