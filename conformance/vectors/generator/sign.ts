import { constants, createHash, type KeyObject, sign as nodeSign } from 'node:crypto'
import { curves, type TestKey } from './keys.ts'

/** The hash functions that signatures are made over, broken ones too. */
export type Hash = 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512'

/** How a signature is made. */
export interface SignOptions {
  readonly hash: Hash
  /** How a curve's two numbers are written: as X.509 does, or as JOSE does. */
  readonly form: 'der' | 'compact'
  /** Whether an RSA key signs with PSS, here without salt, so that it is the same every time. */
  readonly pss?: boolean
  /** Which of the two equally good values of `s` is taken; whichever comes when left out. */
  readonly s?: 'low' | 'high'
}

/** Signs bytes. The same key and bytes give the same signature, on curves by RFC 6979. */
export function sign(data: Uint8Array, key: TestKey, options: SignOptions): Buffer {
  if (key.kind === 'ed25519') return nodeSign(null, data, key.secret as KeyObject)
  if (key.kind === 'rsa') return signRsa(data, key.secret as KeyObject, options)
  return signOnCurve(data, key, options)
}

function signRsa(data: Uint8Array, key: KeyObject, { hash, pss = false }: SignOptions): Buffer {
  const padding = pss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 0 } : {}
  return nodeSign(hash, data, { key, ...padding })
}

function signOnCurve(data: Uint8Array, { kind, secret }: TestKey, { hash, form, s }: SignOptions): Buffer {
  const { curve } = curves[kind as keyof typeof curves]
  const digest = createHash(hash).update(data).digest()
  const made = curve.sign(digest, secret as Uint8Array, { prehash: false, lowS: false })
  const signature = curve.Signature.fromBytes(made, 'compact')
  if (s === undefined || signature.hasHighS() === (s === 'high')) return Buffer.from(signature.toBytes(form))
  const other = new curve.Signature(signature.r, curve.Point.Fn.ORDER - signature.s)
  return Buffer.from(other.toBytes(form))
}
