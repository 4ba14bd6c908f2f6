import { type Admission, AttestationError, type Digest, digestOf, type Expectation } from '#attestation'
import type { Stage } from '#contract/reasons'
import type { Basis, Outcome, Passed } from '../evidence/attest.ts'
import { HOSTNAME } from './identity.ts'

/** An admission of some deployment whose connections end at this certificate. */
export function admissionOf(certFingerprint: Digest, issuedAt = new Date('2030-01-01T00:00:00Z')): Admission {
  return {
    hostname: HOSTNAME,
    issuedAt,
    digest: digestOf('snapshot'),
    evidence: {},
    certFingerprint,
    channelBinding: 'observed',
    rootFingerprint: digestOf('root'),
    hardware: null,
  }
}

/** What these admissions hold by. */
export const expectation: Expectation = {
  roots: [{ der: Buffer.from('root'), fingerprint: digestOf('root'), requireLeafName: true }],
  pins: [digestOf('snapshot')],
  policies: [],
  maxBundleAgeMs: 1,
}

/** What an admission rests on where nobody looks at it. */
export const basis: Basis = {
  bytes: Buffer.from('{}'),
  judgedAt: new Date('2030-01-01T00:00:00Z'),
  expected: expectation,
}

/** A check that passed. */
export function passed(certFingerprint: Digest, issuedAt?: Date): Passed {
  return { kind: 'passed', admission: admissionOf(certFingerprint, issuedAt), basis }
}

/** A check that failed, over a connection with this certificate; nobody knows it unless it is named. */
export function failed(stage: Stage, reason: string, observedLeaf?: Digest): Outcome {
  return { kind: 'failed', ground: new AttestationError(...([stage, reason] as never)), observedLeaf }
}

/** A fetch that did not finish. */
export function unfinished(reason: 'unreachable' | 'timeout' | 'tls_failed' | 'http_status'): Outcome {
  return { kind: 'unfinished', ground: new AttestationError('fetch', reason) }
}
