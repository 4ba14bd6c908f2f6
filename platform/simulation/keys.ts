import { createECDH, createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto'
import type { KeyPair } from '../certificates/keys.ts'

const curves = {
  'P-256': { name: 'prime256v1', hash: 'sha256' },
  'P-384': { name: 'secp384r1', hash: 'sha384' },
} as const

/**
 * A key that plays a part of a vendor. It is worked out from the part's name, here, so that everybody has it: what it
 * signs is worth nothing, and nobody can take it for more.
 */
export function publishedKey(part: string, curve: keyof typeof curves = 'P-256'): KeyPair {
  const { name, hash: algorithm } = curves[curve]
  const pair = createECDH(name)
  pair.setPrivateKey(hash(algorithm, `simulated hardware: the key of ${part}`, 'buffer'))
  const point = pair.getPublicKey()
  const half = (point.length - 1) / 2
  const jwk = {
    kty: 'EC',
    crv: curve,
    d: pair.getPrivateKey('base64url'),
    x: point.subarray(1, 1 + half).toString('base64url'),
    y: point.subarray(1 + half).toString('base64url'),
  }
  const privateKey = createPrivateKey({ format: 'jwk', key: jwk })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

/** The point of a P-256 key: both coordinates, without a mark before them. */
export function pointOf(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}
