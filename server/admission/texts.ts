import { byte, SPACES, skipString } from '../json/scan.ts'
import { textBytes } from '../json/text.ts'
import { nextElement, STOP } from '../json/walk.ts'

/**
 * Called for each text, or its tokens, with its offsets, its bytes of UTF-8, and the tokens that were sent in place of
 * text: numbers alone, for a body may hold a million.
 */
export type VisitText = (start: number, end: number, textBytes: number, tokens: number) => void

/** Goes over a `prompt` or an `input`: a text, its tokens, or a list of either; false when the value is none of these. */
export function eachText(bytes: Buffer, from: number, visit: VisitText): boolean {
  if (bytes[from] === byte.quote) {
    visitText(bytes, from, visit)
    return true
  }
  if (bytes[from] !== byte.openBracket) return false
  const first = bytes[nextElement(bytes, from + 1)]
  if (first !== byte.quote && first !== byte.openBracket) return visitTokens(bytes, from, visit) !== STOP
  // A loop of its own, for a list may hold half a million.
  let at = nextElement(bytes, from + 1)
  while (bytes[at] === first) {
    const end = first === byte.quote ? visitText(bytes, at, visit) : visitTokens(bytes, at, visit)
    if (end === STOP) return false
    at = nextElement(bytes, end)
  }
  return bytes[at] === byte.closeBracket
}

function visitText(bytes: Buffer, start: number, visit: VisitText): number {
  const end = skipString(bytes, start)
  visit(start, end, textBytes(bytes, start, end), 0)
  return end
}

/** The tokens of one text; `STOP` for a list of anything else, and for one without any. */
function visitTokens(bytes: Buffer, start: number, visit: VisitText): number {
  const first = nextElement(bytes, start + 1)
  let tokens = 1
  let at = first
  // The bytes are well-formed, so nothing but whole numbers can be made of these.
  while (inTokens[bytes[at]!] === 1) {
    if (bytes[at] === byte.comma) tokens++
    at++
  }
  if (bytes[at] !== byte.closeBracket || at === first) return STOP
  visit(start, at + 1, 0, tokens)
  return at + 1
}

/** The bytes that whole numbers, and what is between them, are written with. */
const inTokens = new Uint8Array(256).fill(1, 0x30, 0x3a)
for (const between of [byte.minus, byte.comma, ...SPACES]) inTokens[between] = 1
