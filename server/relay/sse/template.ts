import { isUtf8 } from 'node:buffer'
import { byte } from '../../json/scan.ts'

/**
 * What the events of a stream have in common around the one string that differs, as it came and as it is sent.
 * An event that equals prefix, a valid JSON string body and suffix parses like the learnt one but for that
 * string; so it is rewritten the same way, carries no usage and no error, and needs no parse.
 */
export interface Template {
  /** The event's first bytes, `data: ` included, to the string's opening quote. */
  readonly prefix: Buffer
  /** From the string's closing quote to the event's last line feed. */
  readonly suffix: Buffer
  readonly outPrefix: Buffer
  readonly outSuffix: Buffer
}

/** What a run of events that fit the template came to. */
export interface Run {
  /** The rewritten events, one after the other. */
  readonly bytes: Buffer
  /** Where the first byte stands that did not fit. */
  readonly end: number
  /** How many of the events held text. */
  readonly tokens: number
  /** UTF-8 bytes of that text, its escapes resolved. */
  readonly textBytes: number
}

/** Where the texts of a run begin and end, in pairs; used within one call only. */
const texts: number[] = []

/** What the escapes of the text looked at last take up beyond the characters that they stand for. */
let escapeBytes = 0

/** All bits of the bytes of a run's texts, or'ed: prefix and suffix are UTF-8, and texts of ASCII need no look for it. */
let textBits = 0

const ASCII_BITS = 0x7f

/** Where the first half of a character beyond the basic plane was escaped last. */
let firstHalfAt = -1

/** Rewrites the events from `from` on that fit the template; undefined when the first does not, or one is no UTF-8. */
export function runTemplate(
  template: Template,
  bytes: Buffer,
  from: number,
  maxEventBytes: number,
): Run | undefined {
  const { prefix, suffix } = template
  texts.length = 0
  textBits = 0
  let rawBytes = 0
  let textBytes = 0
  let tokens = 0
  let at = from
  while (at + prefix.length + suffix.length <= bytes.length) {
    const textStart = at + prefix.length
    if (bytes.compare(prefix, 0, prefix.length, at, textStart) !== 0) break
    const textEnd = endOfText(bytes, textStart)
    const end = textEnd + suffix.length
    if (textEnd === -1 || end > bytes.length || end - at > maxEventBytes) break
    if (bytes.compare(suffix, 0, suffix.length, textEnd, end) !== 0) break
    texts.push(textStart, textEnd)
    rawBytes += textEnd - textStart
    textBytes += textEnd - textStart - escapeBytes
    if (textEnd > textStart) tokens++
    at = end
  }
  // The slow path finds out which event it is.
  if (at === from || (textBits > ASCII_BITS && !isUtf8(bytes.subarray(from, at)))) return undefined
  return { bytes: rewritten(template, bytes, rawBytes), end: at, tokens, textBytes }
}

function rewritten({ outPrefix, outSuffix }: Template, bytes: Buffer, rawBytes: number): Buffer {
  const count = texts.length / 2
  const out = Buffer.allocUnsafe(rawBytes + count * (outPrefix.length + outSuffix.length))
  let length = 0
  for (let index = 0; index < texts.length; index += 2) {
    out.set(outPrefix, length)
    length = copyText(bytes, texts[index]!, texts[index + 1]!, out, length + outPrefix.length)
    out.set(outSuffix, length)
    length += outSuffix.length
  }
  return out
}

/** Short texts are copied by hand: a native copy costs more than ten bytes do. */
function copyText(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
  const length = end - start
  if (length > 32) from.copy(to, at, start, end)
  else for (let index = 0; index < length; index++) to[at + index] = from[start + index]!
  return at + length
}

/** Where the closing quote of the string body at `from` stands; -1 when it has none here or is not valid JSON. */
function endOfText(bytes: Buffer, from: number): number {
  let at = from
  let bits = 0
  escapeBytes = 0
  firstHalfAt = -1
  while (at < bytes.length) {
    const current = bytes[at]!
    if (current === byte.quote) {
      textBits |= bits
      return at
    }
    bits |= current
    if (current < 0x20) return -1
    if (current !== byte.backslash) at++
    else {
      const length = escapeLength(bytes, at)
      if (length === 0) return -1
      escapeBytes += length - bytesEscapedBy(bytes, at, length)
      at += length
    }
  }
  return -1
}

/** Bytes of the escape that begins at `at`: 2, or 6 for `\uXXXX`; 0 when it is none. */
function escapeLength(bytes: Buffer, at: number): 0 | 2 | 6 {
  switch (bytes[at + 1]) {
    case byte.quote:
    case byte.backslash:
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 2
    case 0x75: // u
      for (let digit = at + 2; digit < at + 6; digit++) if (!isHex(bytes[digit])) return 0
      return 6
    default:
      return 0
  }
}

/** UTF-8 bytes of what an escape stands for; of a pair of halves the first counts as if alone, the second the rest. */
function bytesEscapedBy(bytes: Buffer, at: number, length: 2 | 6): number {
  if (length === 2) return 1
  const unit = Number.parseInt(bytes.toString('latin1', at + 2, at + 6), 16)
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  const isSecondHalf = unit >= 0xdc00 && unit <= 0xdfff && firstHalfAt === at - 6
  firstHalfAt = unit >= 0xd800 && unit <= 0xdbff ? at : -1
  return isSecondHalf ? 1 : 3
}

function isHex(current: number | undefined): boolean {
  if (current === undefined) return false
  const lower = current | 0x20
  return (current >= 0x30 && current <= 0x39) || (lower >= 0x61 && lower <= 0x66)
}
