import { compactVerify as verifyWithKey } from 'jose'
import type { PublicKey } from './key.ts'

interface KeyAlgorithm {
  readonly name: string
  readonly hash?: string
  readonly namedCurve?: string
}

/** How WebCrypto is told of a key, by the algorithm of a JWS. */
const imports: Readonly<Record<string, KeyAlgorithm>> = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  EdDSA: { name: 'Ed25519' },
}

/** Verifies by the same library as in Node, with a key that WebCrypto knows. */
export async function compactVerify(jws: string, key: PublicKey, options: { algorithms: [string] }) {
  const algorithm = imports[options.algorithms[0]]!
  const imported = await crypto.subtle.importKey('spki', Uint8Array.from(key.spki), algorithm, false, [
    'verify',
  ])
  return verifyWithKey(jws, imported, options)
}
