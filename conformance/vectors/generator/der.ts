/** Writes DER, or on request something that only looks like it. Shares nothing with what reads it. */
const SEQUENCE = 0x30
const SET = 0x31

/** A value with its tag and its length in the shortest form. */
export function tlv(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents)
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body])
}

/** A value whose length takes a byte more than it has to: BER, not DER. */
export function longTlv(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents)
  return Buffer.concat([Buffer.of(tag, 0x83, 0), Buffer.of(body.length >> 8, body.length & 0xff), body])
}

/** A value without a length, which ends at a mark: BER, not DER. */
export function endlessTlv(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.of(tag, 0x80), ...contents, Buffer.of(0, 0)])
}

/** An ordered group. */
export const seq = (...members: readonly Uint8Array[]): Buffer => tlv(SEQUENCE, ...members)

/** A group of which the order means nothing. */
export const set = (...members: readonly Uint8Array[]): Buffer => tlv(SET, ...members)

/** True or false. */
export const bool = (value: boolean): Buffer => tlv(0x01, Buffer.of(value ? 0xff : 0x00))

/** A whole number that is not negative. */
export function int(value: bigint | number): Buffer {
  const hex = BigInt(value).toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return tlv(0x02, ...(bytes[0]! >= 0x80 ? [Buffer.of(0)] : []), bytes)
}

/** Bits, of which the last few may not count. */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer => tlv(0x03, Buffer.of(unused), bytes)

/** Any bytes. */
export const octetString = (bytes: Uint8Array): Buffer => tlv(0x04, bytes)

/** Nothing. */
export const nil = (): Buffer => tlv(0x05)

/** A text. */
export const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text))

/** A value marked by its number, around others. */
export const explicit = (mark: number, ...inner: readonly Uint8Array[]): Buffer => tlv(0xa0 | mark, ...inner)

/** A value marked by its number instead of its own tag. */
export const implicit = (mark: number, bytes: Uint8Array | string): Buffer =>
  tlv(0x80 | mark, Buffer.from(bytes as string))

/** An object identifier in dotted form. */
export function objectId(dotted: string): Buffer {
  const [first, second, ...others] = dotted.split('.').map(Number) as [number, number, ...number[]]
  const bytes = [first * 40 + second, ...others].flatMap(inSevens)
  return tlv(0x06, Buffer.from(bytes))
}

/** A second in time: two digits for the year up to 2049, four from then on. */
export function time(iso: string): Buffer {
  const digits = `${iso.replace(/\.\d+Z$|Z$/, '').replace(/[-:T]/g, '')}Z`
  return Number(iso.slice(0, 4)) < 2050
    ? tlv(0x17, Buffer.from(digits.slice(2)))
    : tlv(0x18, Buffer.from(digits))
}

function inSevens(value: number): number[] {
  const groups = [value & 0x7f]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128))
    groups.unshift(0x80 | (rest & 0x7f))
  return groups
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff)
}
