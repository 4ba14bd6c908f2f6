import { broken, byte, skipSpace, skipString } from '../json/scan.ts'
import { textBytes } from '../json/text.ts'
import { eachElement, STOP } from '../json/walk.ts'

/**
 * Is told of one text, or its tokens: where it stands, its bytes of UTF-8, and the tokens that were sent in place of
 * text. By numbers alone, for a body may hold a million.
 */
export type VisitText = (start: number, end: number, textBytes: number, tokens: number) => void

/** Goes over a `prompt` or an `input`: a text, its tokens, or a list of either; false when the value is none of these. */
export function eachText(bytes: Buffer, from: number, visit: VisitText): boolean {
  if (bytes[from] === byte.quote) {
    visitText(bytes, from, visit)
    return true
  }
  if (bytes[from] !== byte.openBracket) return false
  const first = bytes[skipSpace(bytes, from + 1)]
  if (first === byte.quote) {
    const end = eachElement(bytes, from, (at) =>
      bytes[at] === byte.quote ? visitText(bytes, at, visit) : STOP,
    )
    return end !== STOP
  }
  if (first === byte.openBracket) {
    const end = eachElement(bytes, from, (at) =>
      bytes[at] === byte.openBracket ? visitTokens(bytes, at, visit) : STOP,
    )
    return end !== STOP
  }
  return visitTokens(bytes, from, visit) !== STOP
}

function visitText(bytes: Buffer, start: number, visit: VisitText): number {
  const end = skipString(bytes, start)
  visit(start, end, textBytes(bytes, start, end), 0)
  return end
}

/** The tokens of one text; `STOP` for a list of anything else, and for one without any. */
function visitTokens(bytes: Buffer, start: number, visit: VisitText): number {
  let tokens = 0
  let at = skipSpace(bytes, start + 1)
  for (;;) {
    at = integerEnd(bytes, at)
    if (at === STOP) return STOP
    tokens++
    at = skipSpace(bytes, at)
    if (bytes[at] === byte.closeBracket) break
    if (bytes[at] !== byte.comma) throw broken(at)
    at = skipSpace(bytes, at + 1)
  }
  visit(start, at + 1, 0, tokens)
  return at + 1
}

const MINUS = 0x2d
const POINT = 0x2e
const LOWER_E = 0x65
const UPPER_E = 0x45

/** Where a whole number ends; `STOP` for anything else. */
function integerEnd(bytes: Buffer, from: number): number {
  const digits = bytes[from] === MINUS ? from + 1 : from
  let at = digits
  while (at < bytes.length && isDigit[bytes[at]!] === 1) at++
  const next = bytes[at]
  return at === digits || next === POINT || next === LOWER_E || next === UPPER_E ? STOP : at
}

const isDigit = new Uint8Array(256).fill(1, 0x30, 0x3a)
