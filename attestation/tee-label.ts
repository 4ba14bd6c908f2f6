import type { components } from '#contract/types'
import { parseFields } from './certificate.ts'
import { extensionOids } from './extensions.ts'

/** A label of the closed set that the platform defines (MODL-22). */
export type TeeLabel = components['schemas']['TeeLabel']

/** By number of the field that is set (MODL-23). */
const labels: readonly (TeeLabel | undefined)[] = [
  undefined,
  'AMD SEV-SNP (QEMU)',
  'Intel TDX (QEMU)',
  'Intel TDX (GCP)',
  'Intel TDX (Azure)',
  'AMD SEV-SNP (Azure)',
]

const LENGTH_DELIMITED = 2
const WIRE_TYPE_BITS = 3

/**
 * The hardware that a root certificate names: the one field set in its extension's protobuf. None, two, an unknown one
 * or bytes that do not parse give null. It never throws and verifies nothing (MODL-24, MODL-25).
 */
export function teeLabelOf(rootDer: Uint8Array | undefined): TeeLabel | null {
  try {
    const extension = parseFields(Buffer.from(rootDer!)).extensions.get(extensionOids.hardwareQuote)
    const fields = fieldsOf(extension!.value)
    return (fields.length === 1 ? labels[fields[0]!] : undefined) ?? null
  } catch {
    return null
  }
}

/** The numbers of the message's top-level fields; each has to be length-delimited. */
function fieldsOf(message: Buffer): number[] {
  const fields: number[] = []
  let at = 0
  while (at < message.length) {
    const [key, afterKey] = varint(message, at)
    const [length, start] = varint(message, afterKey)
    if ((key & ((1 << WIRE_TYPE_BITS) - 1)) !== LENGTH_DELIMITED) throw new TypeError('not length-delimited')
    at = start + length
    if (at > message.length) throw new RangeError('longer than the message')
    fields.push(key >> WIRE_TYPE_BITS)
  }
  return fields
}

const VARINT_BYTES = 4

function varint(message: Buffer, from: number): [value: number, end: number] {
  let value = 0
  for (let index = 0; index < VARINT_BYTES; index++) {
    const byte = message[from + index]
    if (byte === undefined) throw new RangeError('ends within a number')
    value |= (byte & 0x7f) << (7 * index)
    if (byte < 0x80) return [value, from + index + 1]
  }
  throw new RangeError('number too large')
}
