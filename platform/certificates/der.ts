import {
  Set as Asn1Set,
  type BaseBlock,
  BitString,
  Constructed,
  ObjectIdentifier,
  Sequence,
  Utf8String,
} from 'asn1js'

/** Any piece of ASN.1. */
export type Block = BaseBlock

/** An ordered group. */
export function sequence(...value: Block[]): Sequence {
  return new Sequence({ value })
}

/** An object identifier in dotted form. */
export function oid(value: string): ObjectIdentifier {
  return new ObjectIdentifier({ value })
}

/** Bytes as a bit string; the last `unusedBits` of them do not count. */
export function bits(valueHex: Uint8Array, unusedBits = 0): BitString {
  return new BitString({ valueHex: copy(valueHex), unusedBits })
}

/** A field that is marked by its number. */
export function tagged(tagNumber: number, ...value: Block[]): Constructed {
  return new Constructed({ idBlock: { tagClass: 3, tagNumber }, value })
}

/** A name that is made of an organisation and a common name. */
export function distinguishedName(organisation: string, commonName: string): Sequence {
  return sequence(attribute('2.5.4.10', organisation), attribute('2.5.4.3', commonName))
}

function attribute(type: string, value: string): Asn1Set {
  return new Asn1Set({ value: [sequence(oid(type), new Utf8String({ value }))] })
}

/** The encoding of a block. */
export function toDer(block: Block): Buffer {
  return Buffer.from(block.toBER())
}

/** Bytes in a buffer of their own, as asn1js wants them: a Node buffer is often part of a larger one. */
export function copy(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer
}
