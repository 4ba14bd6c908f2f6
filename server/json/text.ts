import { byte } from './scan.ts'

const UNICODE_ESCAPE = 0x75

/** Longer texts are searched natively; shorter ones are walked, which is faster. */
const WALKED_BYTES = 64

/** The bytes of UTF-8 that the string between these quotes has once its escapes are resolved. */
export function textBytes(bytes: Buffer, start: number, end: number): number {
  let at = firstEscape(bytes, start + 1, end - 1)
  let length = at - start - 1
  while (at < end - 1) {
    if (bytes[at] !== byte.backslash) {
      length++
      at++
    } else if (bytes[at + 1] !== UNICODE_ESCAPE) {
      length++
      at += 2
    } else {
      const unit = unitAt(bytes, at)
      const isPair = isHigh(unit) && bytes[at + 6] === byte.backslash && isLow(unitAt(bytes, at + 6))
      length += isPair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
      at += isPair ? 12 : 6
    }
  }
  return length
}

/** Where the first backslash stands, or the end: it is looked for no further, or a thousand texts would take a thousand looks. */
function firstEscape(bytes: Buffer, from: number, end: number): number {
  if (end - from > WALKED_BYTES) {
    const found = bytes.subarray(from, end).indexOf(byte.backslash)
    return found === -1 ? end : from + found
  }
  let at = from
  while (at < end && bytes[at] !== byte.backslash) at++
  return at
}

/** The code unit of the escape at this place; NaN for another escape. */
function unitAt(bytes: Buffer, at: number): number {
  if (bytes[at + 1] !== UNICODE_ESCAPE) return Number.NaN
  let unit = 0
  for (let place = at + 2; place < at + 6; place++) unit = unit * 16 + digitAt(bytes[place]!)
  return unit
}

function digitAt(current: number): number {
  return current <= 0x39 ? current - 0x30 : (current | 0x20) - 0x57
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
