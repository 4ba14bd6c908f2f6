import { isObject, type Json, type JsonObject } from '../../json-value.ts'

// What Intel has signed is still read strictly: each throws a TypeError for a value of another kind.

export function objectOf(value: Json | undefined): JsonObject {
  if (!isObject(value)) throw another('object')
  return value
}

export function listOf(value: Json | undefined): readonly Json[] {
  if (!Array.isArray(value)) throw another('list')
  return value
}

export function textOf(value: Json | undefined): string {
  if (typeof value !== 'string') throw another('text')
  return value
}

export function numberOf(value: Json | undefined): number {
  if (typeof value !== 'number') throw another('number')
  return value
}

/** Bytes, in hex of either case. */
export function bytesOf(value: Json | undefined): Buffer {
  const text = textOf(value)
  const bytes = Buffer.from(text, 'hex')
  if (bytes.toString('hex') !== text.toLowerCase()) throw another('text of bytes')
  return bytes
}

/** Whether bytes are, where a mask has bits, what is expected. */
export function matches(bytes: Buffer, expected: Buffer, mask: Buffer): boolean {
  const isSame = (byte: number, at: number) => (byte & (mask[at] ?? 0xff)) === expected[at]
  return bytes.length === expected.length && bytes.length === mask.length && bytes.every(isSame)
}

function another(kind: string): TypeError {
  return new TypeError(`A ${kind} is expected here.`)
}
