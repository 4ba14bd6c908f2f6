/** Writes DER, and on request what is not quite DER; shares nothing with what reads it. */

/** One value: its tag, its length, its content. */
function value(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

export const sequence = (...parts: readonly Uint8Array[]) => value(0x30, ...parts)
export const set = (...parts: readonly Uint8Array[]) => value(0x31, ...parts)
export const boolean = (is: boolean) => value(0x01, Buffer.from([is ? 0xff : 0x00]))
export const octets = (...parts: readonly Uint8Array[]) => value(0x04, ...parts)
export const bits = (content: Uint8Array, unused = 0) => value(0x03, Buffer.from([unused]), content)
export const nothing = () => value(0x05)
export const utf8 = (text: string) => value(0x0c, Buffer.from(text))
/** A context-specific value: constructed around other values, or primitive around bytes. */
export const around = (tag: number, ...parts: readonly Uint8Array[]) => value(0xa0 + tag, ...parts)
export const tagged = (tag: number, content: Uint8Array | string) => value(0x80 + tag, Buffer.from(content))

/** A whole number of up to six bytes, never negative. */
export function integer(number: number): Buffer {
  const bytes = Buffer.alloc(7)
  bytes.writeUIntBE(number, 1, 6)
  const start = bytes.findIndex((byte, index) => byte !== 0 || index === 6)
  return value(0x02, bytes.subarray((bytes[start] ?? 0) > 0x7f ? start - 1 : start))
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return value(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)))
}

/** A point in time, to the second, in the form that its year asks for. */
export function time(instant: Date): Buffer {
  const digits = `${instant.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`
  return instant.getUTCFullYear() < 2050
    ? value(0x17, Buffer.from(digits.slice(2)))
    : value(0x18, Buffer.from(digits))
}

function base128(number: number): number[] {
  const digits = [number % 128]
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128))
    digits.unshift(128 + (rest % 128))
  return digits
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  const content = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
  return Buffer.concat([Buffer.from([0x80 + content.length]), content])
}
