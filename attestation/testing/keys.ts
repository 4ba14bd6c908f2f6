import { generateKeyPairSync, type KeyObject } from 'node:crypto'

/** A key and its public half. */
export interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** The algorithms that a bundle may be signed with. */
export const algorithms = ['RS256', 'ES256', 'ES384', 'EdDSA', 'ES256K'] as const

/** One of them. */
export type Algorithm = (typeof algorithms)[number]

/** A new key pair that an algorithm fits. */
export function makeKeys(algorithm: Algorithm): KeyPair {
  switch (algorithm) {
    case 'RS256':
      return makeRsaKeys(2048)
    case 'ES256':
      return makeEcKeys('prime256v1')
    case 'ES384':
      return makeEcKeys('secp384r1')
    case 'EdDSA':
      return generateKeyPairSync('ed25519')
    case 'ES256K':
      return makeEcKeys('secp256k1')
  }
}

/** A new RSA key pair of some length. */
export function makeRsaKeys(modulusLength: number): KeyPair {
  return generateKeyPairSync('rsa', { modulusLength })
}

/** A new key pair on some curve. */
export function makeEcKeys(namedCurve: string): KeyPair {
  return generateKeyPairSync('ec', { namedCurve })
}
