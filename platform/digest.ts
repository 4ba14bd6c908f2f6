import { hash } from 'node:crypto'

/** A SHA-256 in wire form: `sha256/` and unpadded base64url (DIG-02). */
export type WireDigest = `sha256/${string}`

/** Digests bytes, or the UTF-8 bytes of a text. */
export function wireDigest(data: Uint8Array | string): WireDigest {
  return `sha256/${hash('sha256', data, 'base64url')}`
}
