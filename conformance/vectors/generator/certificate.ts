import { createHash } from 'node:crypto'
import { bitString, explicit, int, nil, objectId, seq, time } from './der.ts'
import { commonName, type Extension, encode, keyIdentifiers } from './extensions.ts'
import type { TestKey } from './keys.ts'
import { type Hash, sign } from './sign.ts'

/** What a certificate says, who is named as its issuer and who signs it. */
export interface Certificate {
  readonly subject: string
  readonly issuer: string
  readonly key: TestKey
  readonly signer: TestKey
  readonly notBefore: string
  readonly notAfter: string
  readonly extensions: readonly Extension[]
  /** SHA-256 when left out; SHA-384 for keys of P-384. */
  readonly hash?: Hash
  readonly pss?: boolean
  /** The version as it is written: 2 for version 3. */
  readonly version?: number
  readonly serial?: number
  /** The public key, when it is none of ours. */
  readonly spki?: Uint8Array
  /** Whether the identifiers of both keys are added. */
  readonly identifiers?: boolean
  /** The algorithm that is named outside of what is signed; the same when left out. */
  readonly outerAlgorithm?: Uint8Array
  /** Changes what is signed after it was signed. */
  readonly tamper?: (signed: Buffer) => Buffer
  /** Changes the signature. */
  readonly spoil?: (signature: Buffer) => Buffer
}

const RSA = {
  md5: '1.2.840.113549.1.1.4',
  sha1: '1.2.840.113549.1.1.5',
  sha256: '1.2.840.113549.1.1.11',
  sha384: '1.2.840.113549.1.1.12',
  sha512: '1.2.840.113549.1.1.13',
} as const
const RSA_PSS = '1.2.840.113549.1.1.10'
const ECDSA = {
  sha1: '1.2.840.10045.4.1',
  sha256: '1.2.840.10045.4.3.2',
  sha384: '1.2.840.10045.4.3.3',
  sha512: '1.2.840.10045.4.3.4',
} as const
const ED25519 = '1.3.101.112'
const SHA2 = { sha256: '2.16.840.1.101.3.4.2.1', sha384: '2.16.840.1.101.3.4.2.2' } as const
const MGF1 = '1.2.840.113549.1.1.8'

/** Writes a certificate in DER, always the same for the same description. */
export function issue(certificate: Certificate): Buffer {
  const { subject, issuer, key, signer, notBefore, notAfter, version = 2 } = certificate
  const algorithm = algorithmOf(certificate)
  const { identifiers = true, extensions } = certificate
  const all = identifiers ? [...extensions, ...keyIdentifiers(key, signer)] : extensions
  const signed = seq(
    ...(version === 0 ? [] : [explicit(0, int(version))]),
    int(certificate.serial ?? serialOf(subject)),
    algorithm,
    commonName(issuer),
    seq(time(notBefore), time(notAfter)),
    commonName(subject),
    certificate.spki ?? key.spki,
    ...(all.length === 0 ? [] : [explicit(3, seq(...all.map(encode)))]),
  )
  const made = sign(signed, signer, { hash: hashOf(certificate), form: 'der', pss: certificate.pss ?? false })
  const signature = certificate.spoil?.(made) ?? made
  const shown = certificate.tamper?.(signed) ?? signed
  return seq(shown, certificate.outerAlgorithm ?? algorithm, bitString(signature))
}

/** A certificate in PEM. */
export function pem(der: Uint8Array, { width = 64, lineEnd = '\n', label = 'CERTIFICATE' } = {}): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(new RegExp(`.{1,${width}}`, 'g')) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join(lineEnd)
}

/** The algorithm of RSA over a hash, as it is named. */
export function rsaAlgorithm(hash: Hash): Buffer {
  return seq(objectId(RSA[hash]), nil())
}

function algorithmOf(certificate: Certificate): Buffer {
  const { signer, pss } = certificate
  const hash = hashOf(certificate)
  if (signer.kind === 'ed25519') return seq(objectId(ED25519))
  if (signer.kind !== 'rsa') return seq(objectId(ECDSA[hash as keyof typeof ECDSA]))
  return pss ? seq(objectId(RSA_PSS), pssParameters(hash)) : rsaAlgorithm(hash)
}

/** What is left out means SHA-1. */
function pssParameters(hash: Hash): Buffer {
  const noSalt = explicit(2, int(0))
  if (hash === 'sha1') return seq(noSalt)
  const named = seq(objectId(SHA2[hash as keyof typeof SHA2]))
  return seq(explicit(0, named), explicit(1, seq(objectId(MGF1), named)), noSalt)
}

function hashOf({ hash, signer }: Certificate): Hash {
  return hash ?? (signer.kind === 'p384' ? 'sha384' : 'sha256')
}

function serialOf(subject: string): number {
  return createHash('sha256').update(subject).digest().readUIntBE(0, 6)
}
