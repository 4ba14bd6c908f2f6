import type { AttestationError } from '#attestation'
import type { components } from '#contract/types'
import type { CheckName, Finding } from './doctor-finding.ts'

/** What is most likely wrong. */
export type Diagnosis = components['schemas']['DiagnosisKind']

/** What a diagnosis is made from. */
export interface Symptoms {
  readonly findings: readonly Finding[]
  readonly refusal: AttestationError | undefined
  /** Whether a proxy for CONNECT stands on the way. */
  readonly isTunnelled: boolean
  readonly observedIssuer: string | undefined
  readonly issuers: readonly string[]
}

/** Refusals that a wrong clock brings about. */
const CLOCKED: readonly string[] = [
  'certificate_expired',
  'certificate_not_yet_valid',
  'bundle_stale',
  'issued_in_future',
]

const UNREACHED: readonly string[] = ['unreachable', 'timeout', 'tls_failed']

/** Names what is most likely wrong; the findings remain what was seen. */
export function diagnose(symptoms: Symptoms): Diagnosis {
  const { findings, refusal, isTunnelled } = symptoms
  const isFailed = (check: CheckName) =>
    findings.some((finding) => finding.check === check && finding.result === 'failed')
  if (isFailed('dns')) return 'dns'
  if (isFailed('connect')) return isTunnelled ? 'connect_proxy' : 'unreachable'
  if (isFailed('tls')) return 'unreachable'
  if (refusal === undefined) return isFailed('clock') ? 'clock_skew' : 'none'
  if (CLOCKED.includes(refusal.reason) && isFailed('clock')) return 'clock_skew'
  return ofStage(refusal, symptoms)
}

function ofStage({ stage, reason }: AttestationError, symptoms: Symptoms): Diagnosis {
  switch (stage) {
    case 'fetch':
      return UNREACHED.includes(reason) ? 'unreachable' : 'no_evidence'
    case 'untrusted-root':
      return reason === 'root_not_trusted' || reason === 'no_trusted_roots' ? 'untrusted_root' : 'hardware'
    case 'tls-fingerprint':
      return ofLeaf(symptoms)
    case 'policy':
      return reason === 'digest_not_pinned' || reason === 'no_pins' ? 'wrong_pin' : 'policy'
    case 'jws':
      // What comes from the future comes to a clock that is behind, whatever the endpoint's `Date` says.
      if (reason === 'issued_in_future') return 'clock_skew'
      return reason === 'bundle_stale' ? 'stale_bundle' : 'invalid_evidence'
    default:
      return 'invalid_evidence'
  }
}

/** Another certificate of the same issuer is a renewal that is not signed for yet; one of another issuer is somebody else. */
function ofLeaf({ observedIssuer, issuers }: Symptoms): Diagnosis {
  const isKnown = observedIssuer !== undefined && issuers.includes(observedIssuer)
  return isKnown ? 'certificate_renewal' : 'tls_interception'
}
