import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { SignatureAlgorithm } from '#contract/models'

/** A private key and its public half. */
export interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const generate = promisify(generateKeyPair)

// Ours: the least that verifiers take, as the key lives for days.
const RSA_BITS = 2_048

const generators: Readonly<Record<SignatureAlgorithm, () => Promise<KeyPair>>> = {
  RS256: () => generate('rsa', { modulusLength: RSA_BITS }),
  ES256: () => generate('ec', { namedCurve: 'P-256' }),
  ES384: () => generate('ec', { namedCurve: 'P-384' }),
  EdDSA: () => generate('ed25519', undefined),
  ES256K: () => generate('ec', { namedCurve: 'secp256k1' }),
}

/** Makes a key of the kind that an algorithm needs. */
export function generateKeys(algorithm: SignatureAlgorithm): Promise<KeyPair> {
  return generators[algorithm]()
}

/** Whether bundles can be signed with an algorithm of this name. */
export function isAlgorithm(name: unknown): name is SignatureAlgorithm {
  return typeof name === 'string' && Object.hasOwn(generators, name)
}

/** The algorithm that a key made here is for. */
export function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SignatureAlgorithm {
  const kind = asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType ?? ''
  const algorithm = algorithmOfKind[kind]
  if (!algorithm) throw new Error(`No bundle is signed with a key of the kind ${kind}.`)
  return algorithm
}

const algorithmOfKind: Readonly<Record<string, SignatureAlgorithm>> = {
  rsa: 'RS256',
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  ed25519: 'EdDSA',
  secp256k1: 'ES256K',
}
