import { hash } from 'node:crypto'

declare const wireForm: unique symbol

/** A SHA-256 in wire form, `sha256/` and unpadded base64url: equal strings are equal digests (DIG-02). */
export type Digest = string & { readonly [wireForm]: true }

// 256 bits leave the last of 43 characters only four of its six bits; any other character spells the same
// bytes a second time.
const WIRE = /^sha256\/([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])=?$/
const HEX = /^(?:sha256[:/])?([0-9A-Fa-f]{64})$/

/** Reads `sha256/` with base64url, `sha256:` or `sha256/` with hex, or bare hex; else throws a `TypeError` (DIG-06). */
export function parseDigest(text: string): Digest {
  const wire = WIRE.exec(text)?.[1]
  if (wire !== undefined) return wireOf(wire)
  const hex = HEX.exec(text)?.[1]
  if (hex !== undefined) return wireOf(Buffer.from(hex, 'hex').toString('base64url'))
  throw new TypeError('A digest is written sha256/<base64url>, sha256:<hex>, sha256/<hex> or as bare hex.')
}

/** As `parseDigest`, and lets white space stand around it: for what a person has typed. */
export function parsePin(text: string): Digest {
  return parseDigest(text.trim())
}

/** The SHA-256 of some bytes, or of a text in UTF-8. */
export function digestOf(data: Uint8Array | string): Digest {
  return wireOf(hash('sha256', data, 'base64url'))
}

/** The form that people are shown: `sha256:` and hex (DIG-01). */
export function toHex(digest: Digest): string {
  return `sha256:${Buffer.from(digest.slice('sha256/'.length), 'base64url').toString('hex')}`
}

function wireOf(base64url: string): Digest {
  return `sha256/${base64url}` as Digest
}
