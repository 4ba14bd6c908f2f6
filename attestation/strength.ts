import type { KeyObject } from 'node:crypto'
import type { Certificate, Chain, SignatureAlgorithm } from './certificate.ts'
import { around, Members, tags } from './der-value.ts'
import { AttestationError } from './errors.ts'
import { type Oid, oid } from './oid.ts'

const MIN_RSA_BITS = 2048
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1', 'secp256k1']
const KINDS: readonly (string | undefined)[] = ['rsa', 'rsa-pss', 'ed25519', 'ed448']
// SHA-256, SHA-384, SHA-512.
const HASHES: readonly Oid[] = [
  '2.16.840.1.101.3.4.2.1',
  '2.16.840.1.101.3.4.2.2',
  '2.16.840.1.101.3.4.2.3',
].map(oid)
const RSA_PSS = oid('1.2.840.113549.1.1.10')
const SIGNATURES: ReadonlySet<Oid> = new Set(
  [
    '1.2.840.113549.1.1.11', // sha256WithRSAEncryption
    '1.2.840.113549.1.1.12', // sha384WithRSAEncryption
    '1.2.840.113549.1.1.13', // sha512WithRSAEncryption
    '1.2.840.10045.4.3.2', // ecdsa-with-SHA256
    '1.2.840.10045.4.3.3', // ecdsa-with-SHA384
    '1.2.840.10045.4.3.4', // ecdsa-with-SHA512
    '1.3.101.112', // Ed25519
    '1.3.101.113', // Ed448
  ].map(oid),
)

/** Refuses (`cert-chain` / `weak_key`) RSA below 2,048 bits and keys or curves of another kind (VRFY-11). */
export function haveStrongKeys(chain: Chain): void {
  if (!chain.every(({ key }) => isStrongKey(key))) throw new AttestationError('cert-chain', 'weak_key')
}

/** Refuses (`cert-chain` / `weak_signature`) a certificate, the root too, signed over less than SHA-256 (VRFY-11). */
export function haveStrongSignatures(chain: Chain): void {
  if (!chain.every(({ signatureAlgorithm }) => isStrongSignature(signatureAlgorithm)))
    throw new AttestationError('cert-chain', 'weak_signature')
}

/**
 * Whether a certificate is signed by a key. Refuses (`cert-chain` / `weak_key`) a kind of key that is never accepted
 * without using it: how long a check with another curve or kind takes is not known.
 */
export function isSigned(certificate: Certificate, key: KeyObject): boolean {
  if (!isAcceptedKind(key)) throw new AttestationError('cert-chain', 'weak_key')
  return certificate.isSignedBy(key)
}

function isAcceptedKind({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  return type === 'ec' ? CURVES.includes(details?.namedCurve) : KINDS.includes(type)
}

function isStrongKey(key: KeyObject): boolean {
  const { modulusLength } = key.asymmetricKeyDetails ?? {}
  return isAcceptedKind(key) && (modulusLength === undefined || modulusLength >= MIN_RSA_BITS)
}

function isStrongSignature({ oid: algorithm, parameters }: SignatureAlgorithm): boolean {
  if (algorithm !== RSA_PSS) return SIGNATURES.has(algorithm)
  // Without a hash it is SHA-1.
  const hash = new Members(parameters).take(around(0))
  if (hash === undefined) return false
  const named = new Members(new Members(hash, around(0)).need(tags.sequence)).need(tags.oid)
  return HASHES.includes(named.content.toString('hex'))
}
