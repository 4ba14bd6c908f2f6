import type { Digest } from './digest.ts'
import { AttestationError } from './errors.ts'
import { parseEntry } from './size.ts'

/** What is known of the certificate on the connection: it was seen, or the producer says so. */
export type ChannelBinding = 'observed' | 'producer-asserted'

/** What the signed fingerprint is judged against. */
export interface BindingExpectation {
  /** SHA-256 of the leaf that was seen on the connection itself. */
  readonly observedLeaf?: Digest | undefined
  /** Whether offline checks may take the producer's own `tlsLeaf` where no connection was seen. */
  readonly acceptProducerAsserted?: boolean | undefined
}

/** What was signed, and what the envelope shows beside it. */
interface BoundEvidence {
  readonly certFingerprint: Digest
  readonly evidenceDigest: Digest
  readonly tlsLeaf: string | undefined
}

/**
 * Refuses (`tls-fingerprint`) evidence for another certificate (`leaf_mismatch`), or for which there is no certificate
 * to compare (`leaf_not_observed`). Says where the certificate came from: the connection, or the bundle's own word
 * where that may be taken (VRFY-20, VRFY-21).
 */
export function bindConnection(bound: BoundEvidence, expected: BindingExpectation): ChannelBinding {
  const { certFingerprint, evidenceDigest, tlsLeaf } = bound
  const { observedLeaf, acceptProducerAsserted = false } = expected
  if (observedLeaf === undefined && !(acceptProducerAsserted && tlsLeaf !== undefined))
    throw new AttestationError('tls-fingerprint', 'leaf_not_observed', { evidenceDigest })
  if ((observedLeaf ?? fingerprintOf(tlsLeaf ?? '')) !== certFingerprint)
    throw new AttestationError('tls-fingerprint', 'leaf_mismatch', { evidenceDigest })
  return observedLeaf === undefined ? 'producer-asserted' : 'observed'
}

/** The fingerprint of a certificate in PEM; of anything else there is none, which matches nothing. */
function fingerprintOf(pem: string): Digest | undefined {
  try {
    return parseEntry(pem).fingerprint
  } catch {
    return undefined
  }
}
