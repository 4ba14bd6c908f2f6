import type { KeyObject } from 'node:crypto'
import { type AlgorithmIdentifier, id_sha256, id_sha384, id_sha512, RSASSAPSSParams } from 'pkijs'
import type { Chain } from './certificate.ts'
import { AttestationError } from './errors.ts'

const MIN_RSA_BITS = 2048
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1', 'secp256k1']
const HASHES: readonly string[] = [id_sha256, id_sha384, id_sha512]
const RSA_PSS = '1.2.840.113549.1.1.10'
const SIGNATURES: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.11', // sha256WithRSAEncryption
  '1.2.840.113549.1.1.12', // sha384WithRSAEncryption
  '1.2.840.113549.1.1.13', // sha512WithRSAEncryption
  '1.2.840.10045.4.3.2', // ecdsa-with-SHA256
  '1.2.840.10045.4.3.3', // ecdsa-with-SHA384
  '1.2.840.10045.4.3.4', // ecdsa-with-SHA512
  '1.3.101.112', // Ed25519
  '1.3.101.113', // Ed448
])

/** Passes when every key is long enough (decisions, 8). */
export function haveStrongKeys(chain: Chain): void {
  if (!chain.every(({ key }) => isStrongKey(key))) throw new AttestationError('cert-chain', 'weak_key')
}

/** Passes when every certificate, the root too, is signed over SHA-256 or better (decisions, 8). */
export function haveStrongSignatures(chain: Chain): void {
  if (!chain.every(({ signatureAlgorithm }) => isStrongSignature(signatureAlgorithm)))
    throw new AttestationError('cert-chain', 'weak_signature')
}

function isStrongKey({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'rsa' || type === 'rsa-pss') return (details?.modulusLength ?? 0) >= MIN_RSA_BITS
  if (type === 'ec') return CURVES.includes(details?.namedCurve)
  return type === 'ed25519' || type === 'ed448'
}

function isStrongSignature({ algorithmId, algorithmParams }: AlgorithmIdentifier): boolean {
  if (algorithmId !== RSA_PSS) return SIGNATURES.has(algorithmId)
  return HASHES.includes(new RSASSAPSSParams({ schema: algorithmParams }).hashAlgorithm.algorithmId)
}
