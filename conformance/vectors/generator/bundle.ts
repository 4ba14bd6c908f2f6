import { createHash } from 'node:crypto'
import { issue, pem } from './certificate.ts'
import { type Chain, chainOf, HOSTNAME, VALIDITY } from './chain.ts'
import { subjectNames } from './extensions.ts'
import { type Kind, keyOf, type TestKey } from './keys.ts'
import { sign } from './sign.ts'

type Members = Readonly<Record<string, unknown>>

/** What differs from the usual bundle, in the order in which one is made. */
export interface BundleChanges {
  /** The kind of all keys; P-256 when left out. */
  readonly kind?: Kind
  readonly chain?: Chain
  /** Members of what is signed; `undefined` takes one out. */
  readonly payload?: Members
  /** What is signed, instead of the members. */
  readonly payloadText?: string | Uint8Array
  /** Members of the signature's header. */
  readonly header?: Members
  readonly headerText?: string
  /** Who signs, instead of the chain's leaf. */
  readonly signer?: TestKey
  /** Which of two equally good signatures on a curve. */
  readonly s?: 'low' | 'high'
  readonly spoil?: (signature: Buffer) => Buffer
  /** Changes the compact JWS as it stands. */
  readonly rewrite?: (jws: string) => string
  /** Members of the envelope; `undefined` takes one out. */
  readonly envelope?: Members
}

/** The algorithm that fits each kind of key, by its name in a header. */
export const ALGORITHMS = {
  rsa: 'RS256',
  p256: 'ES256',
  p384: 'ES384',
  ed25519: 'EdDSA',
  secp256k1: 'ES256K',
} as const

/** The snapshot, and its canonical JSON written by hand. */
export const SNAPSHOT = {
  version: 2,
  resources: [
    {
      kind: 'Deployment',
      name: 'router',
      image: 'registry.example/router@sha256:aa',
      configuration: { upstreamLogging: 'off' },
      replicas: 2,
    },
  ],
}
const CANONICAL_SNAPSHOT =
  '{"resources":[{"configuration":{"upstreamLogging":"off"},"image":"registry.example/router@sha256:aa","kind":"Deployment","name":"router","replicas":2}],"version":2}'

/** The TLS certificate that the bundle names. */
const TLS_LEAF = issue({
  ...VALIDITY,
  subject: HOSTNAME,
  issuer: HOSTNAME,
  key: keyOf('tls', 'p256'),
  signer: keyOf('tls', 'p256'),
  extensions: [subjectNames(['dns', HOSTNAME])],
})

/** The SHA-256 of something in wire form. */
export function digest(data: Uint8Array | string): string {
  return `sha256/${createHash('sha256').update(data).digest('base64url')}`
}

export const SNAPSHOT_DIGEST = digest(CANONICAL_SNAPSHOT)
export const TLS_FINGERPRINT = digest(TLS_LEAF)
const ISSUED_AT = '2026-06-01T11:58:30.250Z'

/** What the usual bundle signs. */
export const PAYLOAD: Members = {
  version: 1,
  kind: 'DeploymentEvidence',
  hostname: HOSTNAME,
  issuedAt: ISSUED_AT,
  certFingerprint: TLS_FINGERPRINT,
  evidenceDigest: SNAPSHOT_DIGEST,
  evidence: SNAPSHOT,
}

/** The chain that a bundle is signed under. */
export function chainFor({ kind = 'p256', chain }: BundleChanges): Chain {
  return chain ?? chainOf(kind)
}

/** A bundle, but for what is changed, before it is written as JSON. */
export function envelopeOf(changes: BundleChanges = {}): Members {
  const { evidence: _, evidenceDigest: __, ...copies } = PAYLOAD
  return {
    ...copies,
    certChain: chainFor(changes).certificates.map((der) => pem(der)),
    tlsLeaf: pem(TLS_LEAF),
    jws: jwsOf(changes),
    rootCaTeeQuote: { status: 'not-implemented' },
    ...changes.envelope,
  }
}

/** A bundle as it is published. */
export function bundleOf(changes: BundleChanges = {}): string {
  return JSON.stringify(envelopeOf(changes))
}

/** The signature of a bundle: a compact JWS with its payload inside. */
export function jwsOf(changes: BundleChanges = {}): string {
  const { header, headerText, payload, payloadText, rewrite = (jws) => jws } = changes
  const signer = changes.signer ?? chainFor(changes).key
  const head = headerText ?? JSON.stringify({ alg: ALGORITHMS[signer.kind], ...header })
  const body = payloadText ?? JSON.stringify({ ...PAYLOAD, ...payload })
  const input = `${base64url(head)}.${base64url(body)}`
  const hash = signer.kind === 'p384' ? 'sha384' : 'sha256'
  const made = sign(Buffer.from(input), signer, { hash, form: 'compact', ...(changes.s && { s: changes.s }) })
  return rewrite(`${input}.${(changes.spoil?.(made) ?? made).toString('base64url')}`)
}

/** Text or bytes in base64url without padding. */
export function base64url(data: string | Uint8Array): string {
  return Buffer.from(data as string).toString('base64url')
}
