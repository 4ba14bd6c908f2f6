import { sign } from 'node:crypto'
import { digestOf } from '../digest.ts'
import type { Circumstances, Expectation } from '../verify.ts'
import { issueCertificate, toPem } from './certificates.ts'
import { goodChain, HOSTNAME, keysFor, NOW, requestsFor, type TestChain } from './chains.ts'
import type { Algorithm, KeyPair } from './keys.ts'

type Members = Readonly<Record<string, unknown>>

/** What shall differ from a good bundle, in the order in which a bundle is made. */
export interface Changes {
  readonly algorithm?: Algorithm
  readonly chain?: TestChain
  /** Members of the payload; `undefined` takes one out. */
  readonly payload?: Members
  /** The payload's bytes, instead of the members. */
  readonly payloadText?: string | Uint8Array
  /** Members of the JWS header. */
  readonly header?: Members
  readonly headerText?: string
  readonly signature?: (signature: Buffer) => Buffer
  /** Members of the envelope. */
  readonly envelope?: Members
  /** What is expected. */
  readonly expected?: Partial<Expectation & Circumstances>
}

export const SNAPSHOT = {
  version: 2,
  resources: [
    { kind: 'Deployment', name: 'router', image: 'registry.example/router@sha256:aa', replicas: 2 },
  ],
}
/** The canonical JSON of the snapshot, written by hand. */
export const SNAPSHOT_TEXT =
  '{"resources":[{"image":"registry.example/router@sha256:aa","kind":"Deployment","name":"router","replicas":2}],"version":2}'
export const SNAPSHOT_DIGEST = digestOf(SNAPSHOT_TEXT)

/** The TLS certificate that the bundle names. */
export const TLS_LEAF = issueCertificate({
  ...requestsFor('ES256').leaf,
  subject: HOSTNAME,
  issuer: HOSTNAME,
  signer: keysFor('leaf'),
})
export const TLS_FINGERPRINT = digestOf(TLS_LEAF)

/** The members that a good payload has. */
export function goodPayload(): Members {
  return {
    version: 1,
    kind: 'DeploymentEvidence',
    hostname: HOSTNAME,
    issuedAt: '2026-06-01T11:58:30.250Z',
    certFingerprint: TLS_FINGERPRINT,
    evidenceDigest: SNAPSHOT_DIGEST,
    evidence: SNAPSHOT,
  }
}

/** A bundle that holds, but for what is changed. */
export function makeBundle(changes: Changes = {}): Uint8Array {
  return Buffer.from(JSON.stringify(makeEnvelope(changes)))
}

/** The same, before it is written as JSON. */
export function makeEnvelope(changes: Changes = {}): Members {
  const chain = chainOf(changes)
  const { evidence: _evidence, evidenceDigest: _digest, ...copies } = goodPayload()
  return {
    ...copies,
    certChain: chain.certificates.map(toPem),
    tlsLeaf: toPem(TLS_LEAF),
    jws: signPayload(changes, chain.keys),
    rootCaTeeQuote: { status: 'not-implemented' },
    ...changes.envelope,
  }
}

/** Evidence, and the expectation under which it is admitted, but for what is changed. */
export function makeCase(changes: Changes = {}): {
  readonly bytes: Uint8Array
  readonly expected: Expectation & Circumstances
} {
  const chain = chainOf(changes)
  const der = chain.certificates.at(-1) ?? Buffer.alloc(0)
  const expected = {
    hostname: HOSTNAME,
    roots: [{ der, fingerprint: digestOf(der), requireLeafName: true }],
    pins: [SNAPSHOT_DIGEST],
    observedLeaf: TLS_FINGERPRINT,
    now: NOW,
    maxBundleAgeMs: 86_400_000,
    ...changes.expected,
  }
  return { bytes: makeBundle({ ...changes, chain }), expected }
}

/** A compact JWS over what a good payload has, but for what is changed. */
export function signPayload(changes: Changes, keys: KeyPair): string {
  const {
    algorithm = 'ES256',
    header,
    headerText,
    payload,
    payloadText,
    signature = (made) => made,
  } = changes
  const head = encode(headerText ?? JSON.stringify({ alg: algorithm, ...header }))
  const input = `${head}.${encode(payloadText ?? JSON.stringify({ ...goodPayload(), ...payload }))}`
  return `${input}.${signature(signatureOf(input, algorithm, keys)).toString('base64url')}`
}

function chainOf({ chain, algorithm = 'ES256' }: Changes): TestChain {
  return chain ?? goodChain(algorithm)
}

function encode(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64url')
}

function signatureOf(input: string, algorithm: Algorithm, { privateKey: key }: KeyPair): Buffer {
  const hashes = { RS256: 'sha256', ES256: 'sha256', ES384: 'sha384', EdDSA: null, ES256K: 'sha256' } as const
  const hash = key.asymmetricKeyType === 'ed25519' ? null : (hashes[algorithm] ?? 'sha256')
  return sign(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
}
