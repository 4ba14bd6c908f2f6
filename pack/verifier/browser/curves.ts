import { ed448 } from '@noble/curves/ed448.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'

/** What is used of a curve. */
export interface CurveFn {
  readonly Point: { fromBytes(bytes: Uint8Array): { assertValidity(): void } }
  verify(signature: Uint8Array, message: Uint8Array, key: Uint8Array, options?: object): boolean
}

/** A curve under the name that Node gives it. */
interface NamedCurve {
  readonly name: string
  readonly curve: CurveFn
}

/** By the hex of the curve's identifier in a key. */
const elliptic: ReadonlyMap<string, NamedCurve> = new Map([
  ['2a8648ce3d030107', { name: 'prime256v1', curve: p256 }],
  ['2b81040022', { name: 'secp384r1', curve: p384 }],
  ['2b81040023', { name: 'secp521r1', curve: p521 }],
  ['2b8104000a', { name: 'secp256k1', curve: secp256k1 }],
])

/** By the hex of the key's algorithm. */
export const edwards: ReadonlyMap<string, NamedCurve> = new Map([
  ['2b6570', { name: 'ed25519', curve: ed25519 }],
  ['2b6571', { name: 'ed448', curve: ed448 }],
])

/** The curve of an identifier; undefined for one that is never accepted. */
export function ellipticOf(oid: string): NamedCurve | undefined {
  return elliptic.get(oid)
}
