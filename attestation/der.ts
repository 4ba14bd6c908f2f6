/** Deepest nesting that is read; certificates need about ten. Ours. */
const MAX_DEPTH = 32
const BOOLEAN = 0x01
const BIT_STRING = 0x03
const CONSTRUCTED = 0x20
const HIGH_TAG = 0x1f
const CONTEXT = 0x80
const SEQUENCES: readonly number[] = [0x30, 0x31]

/** Where a content stands. */
interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Whether bytes are exactly one value in DER: definite lengths in their shortest form, nothing left over, nothing
 * put together from pieces. Then every parser reads the same out of them, and nothing can hide between two readings.
 */
export function isDer(bytes: Uint8Array): boolean {
  return bytes.length > 0 && endOfValue(bytes, 0, bytes.length, 1) === bytes.length
}

/** Where the value that starts at `start` ends; -1 when it is none or passes `limit`. */
function endOfValue(bytes: Uint8Array, start: number, limit: number, depth: number): number {
  const tag = bytes[start] ?? HIGH_TAG
  const content = contentOf(bytes, start + 1)
  if ((tag & HIGH_TAG) === HIGH_TAG || depth > MAX_DEPTH || !content || content.end > limit) return -1
  if ((tag & CONSTRUCTED) === 0) return isPrimitive(bytes, tag, content) ? content.end : -1
  if (tag < CONTEXT && !SEQUENCES.includes(tag)) return -1
  let at = content.start
  while (at !== -1 && at < content.end) at = endOfValue(bytes, at, content.end, depth + 1)
  return at
}

/** Reads a length; undefined when it is indefinite, absurd or not in its shortest form. */
function contentOf(bytes: Uint8Array, at: number): Span | undefined {
  const first = bytes[at]
  if (first === undefined) return undefined
  if (first < 0x80) return { start: at + 1, end: at + 1 + first }
  const count = first & 0x7f
  const start = at + 1 + count
  if (count === 0 || count > 3 || start > bytes.length) return undefined
  let length = 0
  for (const byte of bytes.subarray(at + 1, start)) length = length * 256 + byte
  if (length < 0x80 || length < 256 ** (count - 1)) return undefined
  return { start, end: start + length }
}

function isPrimitive(bytes: Uint8Array, tag: number, { start, end }: Span): boolean {
  const [first = -1, last = 0] = [bytes[start], bytes[end - 1]]
  if (tag === BOOLEAN) return end === start + 1 && (first === 0x00 || first === 0xff)
  if (tag === BIT_STRING) return end > start && isPadding(first, end > start + 1 ? last : undefined)
  return !SEQUENCES.includes(tag | CONSTRUCTED)
}

/** Whether bits that do not count, at the end of the last byte, are there and are zero. */
function isPadding(unused: number, last: number | undefined): boolean {
  return last === undefined ? unused === 0 : unused <= 7 && (last & ((1 << unused) - 1)) === 0
}
