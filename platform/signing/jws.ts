import { type KeyObject, sign } from 'node:crypto'
import { CompactSign } from 'jose'
import type { SignatureAlgorithm } from '#contract/models'

/** Signs a payload as a compact JWS with the payload inside. */
export async function signCompact(
  payload: Uint8Array,
  algorithm: SignatureAlgorithm,
  privateKey: KeyObject,
): Promise<string> {
  const header = { alg: algorithm }
  if (algorithm === 'ES256K') return signWithSecp256k1(payload, header, privateKey)
  return new CompactSign(payload).setProtectedHeader(header).sign(privateKey)
}

/** Signs with ES256K (RFC 8812, 3.2), which WebCrypto, and so jose, does not have. */
function signWithSecp256k1(payload: Uint8Array, header: { readonly alg: string }, key: KeyObject): string {
  const input = `${base64url(JSON.stringify(header))}.${base64url(payload)}`
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${base64url(signature)}`
}

function base64url(data: Uint8Array | string): string {
  return Buffer.from(data as string).toString('base64url')
}
