import canonicalize from 'canonicalize'
import { type Digest, digestOf } from './digest.ts'
import { AttestationError } from './errors.ts'
import type { Json } from './json-value.ts'

const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\n\r]+/g

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
  if (digestOf(canonicalize(evidence) ?? '') === evidenceDigest) return
  if (digestOf(withoutSpace(evidenceText)) === evidenceDigest) return
  throw new AttestationError('jws', 'digest_mismatch')
}

/** A text of JSON without the white space between its tokens; strings stay as they are spelled. */
function withoutSpace(text: string): string {
  return text.replace(STRING_OR_SPACE, (token) => (token.startsWith('"') ? token : ''))
}
