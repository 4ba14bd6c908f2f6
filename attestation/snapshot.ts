import { canonicalJson } from './canonical.ts'
import { type Digest, digestOf } from './digest.ts'
import { AttestationError } from './errors.ts'
import { isSpace } from './json.ts'
import type { Json } from './json-value.ts'

/** A snapshot with the digest that was signed for it. */
interface SignedSnapshot {
  readonly evidence: Json
  readonly evidenceText: string
  readonly evidenceDigest: Digest
}

/**
 * Passes a snapshot whose digest is the signed one: of its canonical JSON (RFC 8785) or, as some deployed platforms
 * have it, of its own text without insignificant white space (decisions, 8). The digest is never taken on faith.
 */
export function checkSnapshot({ evidence, evidenceText, evidenceDigest }: SignedSnapshot): void {
  if (digestOf(canonicalJson(evidence)) === evidenceDigest) return
  if (digestOf(withoutSpace(evidenceText)) === evidenceDigest) return
  throw new AttestationError('jws', 'digest_mismatch')
}

/** A text of JSON without the white space between its tokens; strings stay as they are spelled. */
function withoutSpace(text: string): string {
  const parts: string[] = []
  let start = 0
  let at = 0
  while (at < text.length) {
    if (text[at] === '"') at = endOfString(text, at)
    else if (isSpace(text.charCodeAt(at))) {
      parts.push(text.slice(start, at))
      while (isSpace(text.charCodeAt(at))) at += 1
      start = at
    } else at += 1
  }
  parts.push(text.slice(start))
  return parts.join('')
}

/** Where what follows a string begins; the text has been read before, so that the string has an end. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
