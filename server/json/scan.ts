/** The bytes that give JSON its structure. */
export const byte = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  colon: 0x3a,
  backslash: 0x5c,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const

/** The bytes that may stand between tokens. */
export const SPACES = [0x20, 0x0a, 0x0d, 0x09] as const

/** Strings longer than this are searched natively; shorter ones are walked, which is faster. */
const WALKED_BYTES = 48

/** Of each byte: nothing, the begin of a string, or how it changes the depth. */
const PLAIN = 0
const QUOTE = 1
const OPEN = 2
const CLOSE = 3
const kinds = new Uint8Array(256)
kinds[byte.quote] = QUOTE
kinds[byte.openBrace] = kinds[byte.openBracket] = OPEN
kinds[byte.closeBrace] = kinds[byte.closeBracket] = CLOSE

/**
 * The first quote or bracket at or after `from`, past whatever has no inside: scalars, commas, colons and space. In
 * well-formed bytes this is the next text, list or object, or the end of the one that holds `from`.
 */
export function nextInside(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && kinds[bytes[at]!] === PLAIN) at++
  if (at === bytes.length) throw broken(at)
  return at
}

/** One past the value that begins at `from`. Nesting is counted, not recursed into: depth costs no stack. */
export function skipValue(bytes: Buffer, from: number): number {
  if (from >= bytes.length) throw broken(from)
  const first = kinds[bytes[from]!]
  if (first === QUOTE) return skipString(bytes, from)
  if (first === PLAIN) return skipScalar(bytes, from)
  if (first === CLOSE) throw broken(from)
  let depth = 1
  let at = from + 1
  while (at < bytes.length) {
    const kind = kinds[bytes[at]!]
    if (kind === QUOTE) at = skipString(bytes, at)
    else {
      at++
      if (kind === OPEN) depth++
      else if (kind === CLOSE && --depth === 0) return at
    }
  }
  throw broken(at)
}

function skipScalar(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && endsScalar[bytes[at]!] === 0) at++
  if (at === from) throw broken(at)
  return at
}

const endsScalar = new Uint8Array(256)
for (const end of [byte.comma, byte.closeBrace, byte.closeBracket, ...SPACES]) endsScalar[end] = 1

/** From the opening quote to one past the closing one. */
export function skipString(bytes: Buffer, from: number): number {
  let at = from + 1
  for (;;) {
    const walkedTo = Math.min(at + WALKED_BYTES, bytes.length)
    while (at < walkedTo) {
      const current = bytes[at]!
      if (current === byte.quote) return at + 1
      at += current === byte.backslash ? 2 : 1
    }
    const quote = bytes.indexOf(byte.quote, at)
    if (quote === -1) throw broken(from)
    if (!isEscaped(bytes, at, quote)) return quote + 1
    at = quote + 1
  }
}

/** Whether an odd number of backslashes, none of them before `from`, stands in front of the quote. */
function isEscaped(bytes: Buffer, from: number, quote: number): boolean {
  let at = quote
  while (at > from && bytes[at - 1] === byte.backslash) at--
  return (quote - at) % 2 === 1
}

/** The first byte at or after `from` that is no white space. */
export function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && isSpace(bytes[at]!)) at++
  return at
}

function isSpace(current: number): boolean {
  return current === 0x20 || current === 0x0a || current === 0x0d || current === 0x09
}

/** What the scanners throw where the structure breaks. */
export function broken(at: number): SyntaxError {
  return new SyntaxError(`Not a JSON object: the structure breaks at byte ${at}.`)
}
