import { createECDH, createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { p256, p384 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bitString, objectId, seq } from './der.ts'

/** The kinds of keys that sign bundles. */
export const kinds = ['rsa', 'p256', 'p384', 'ed25519', 'secp256k1'] as const

/** One of them. */
export type Kind = (typeof kinds)[number]

/** A key that is the same at every run. Everybody has it: it protects nothing. */
export interface TestKey {
  readonly kind: Kind
  /** The public half as a certificate holds it. */
  readonly spki: Buffer
  /** The private half: a number on a curve, or Node's own form. */
  readonly secret: Uint8Array | KeyObject
}

/** The curves, each with its object identifier. */
export const curves = {
  p256: { curve: p256, oid: '1.2.840.10045.3.1.7' },
  p384: { curve: p384, oid: '1.3.132.0.34' },
  secp256k1: { curve: secp256k1, oid: '1.3.132.0.10' },
} as const

const KEYS = join(import.meta.dirname, '..', 'keys')
const EC_KEY = '1.2.840.10045.2.1'
const ED25519_PKCS8 = '302e020100300506032b657004220420'

/** Who has a key of its own; of RSA only these have one, in a file. */
export type Holder =
  | 'leaf'
  | 'intermediate'
  | 'root'
  | 'stranger'
  | 'weak'
  | 'almost'
  | 'long'
  | 'tls'
  | 'second'
  // Vendors of hardware, and what they vouch for.
  | 'vcek'
  | 'vlek'
  | 'intel-root'
  | 'pck-authority'
  | 'pck'
  | 'tcb-signer'
  | 'attestation'

const made = new Map<string, TestKey>()

/** The key of a holder: from a file for RSA, else derived from the holder's name. */
export function keyOf(holder: Holder, kind: Kind): TestKey {
  const label = `${holder} ${kind}`
  const key = made.get(label) ?? makeKey(holder, kind)
  made.set(label, key)
  return key
}

/** A public key on a curve that is too short, as a certificate holds it; nobody signs with it. */
export function shortCurve(): Buffer {
  const curve = createECDH('secp224r1')
  curve.setPrivateKey(Buffer.alloc(28, 7))
  return seq(seq(objectId(EC_KEY), objectId('1.3.132.0.33')), bitString(curve.getPublicKey()))
}

function makeKey(holder: Holder, kind: Kind): TestKey {
  if (kind === 'rsa') return fromPrivate(kind, readFileSync(join(KEYS, `rsa-${holder}.pem`), 'utf8'))
  if (kind === 'ed25519') {
    const der = Buffer.concat([Buffer.from(ED25519_PKCS8, 'hex'), seedOf(holder, kind, 'sha256')])
    return fromPrivate(kind, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  }
  const { curve, oid } = curves[kind]
  const secret = seedOf(holder, kind, kind === 'p384' ? 'sha384' : 'sha256')
  const point = Buffer.from(curve.getPublicKey(secret, false))
  return { kind, secret, spki: seq(seq(objectId(EC_KEY), objectId(oid)), bitString(point)) }
}

function fromPrivate(kind: Kind, source: string | KeyObject): TestKey {
  const secret = typeof source === 'string' ? createPrivateKey(source) : source
  return { kind, secret, spki: createPublicKey(secret).export({ type: 'spki', format: 'der' }) }
}

function seedOf(holder: Holder, kind: Kind, algorithm: 'sha256' | 'sha384'): Buffer {
  return createHash(algorithm).update(`test vectors: the ${kind} key of ${holder}`).digest()
}
