import { canonicalJson } from './canonical.ts'
import { type Digest, digestOf } from './digest.ts'
import { AttestationError } from './errors.ts'
import { isSpace } from './json.ts'
import type { Json } from './json-value.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** A snapshot with the digest that was signed for it. */
interface SignedSnapshot {
  readonly evidence: Json
  readonly evidenceText: string
  readonly evidenceDigest: Digest
}

/**
 * Refuses (`jws` / `digest_mismatch`) a snapshot that the signed digest does not fit. The digest is computed anew: of
 * the canonical JSON (RFC 8785) or, as some deployed platforms do, of the snapshot's own text without insignificant
 * white space (BNDL-23, BNDL-25).
 */
export function checkSnapshot({ evidence, evidenceText, evidenceDigest }: SignedSnapshot): void {
  if (digestOf(canonicalJson(evidence)) === evidenceDigest) return
  if (digestOf(withoutSpace(evidenceText)) === evidenceDigest) return
  throw new AttestationError('jws', 'digest_mismatch')
}

/**
 * A text of JSON without the white space between its tokens, in UTF-8; strings stay as they are spelled. The text has
 * been read before, so that every string has an end. Bytes are moved within one buffer: no piece of text is made.
 */
function withoutSpace(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  let length = 0
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (!inString && isSpace(byte)) continue
    bytes[length++] = byte
    if (byte === QUOTE) inString = !inString
    // What is escaped is never the end of its string.
    else if (byte === BACKSLASH) bytes[length++] = bytes[++at] ?? 0
  }
  return bytes.subarray(0, length)
}
