import { createHash } from 'node:crypto'
import {
  bitString,
  bool,
  explicit,
  implicit,
  int,
  objectId,
  octetString,
  seq,
  set,
  tlv,
  utf8,
} from './der.ts'
import type { TestKey } from './keys.ts'

/** An extension as it is put into a certificate. */
export interface Extension {
  readonly oid: string
  readonly critical: boolean
  readonly value: Uint8Array
}

/** A name of a certificate, or a part of all names. */
export type Name = readonly ['dns' | 'mail' | 'uri', string] | readonly ['ip' | 'directory', Uint8Array]

/** The uses of a key that matter here, by their bit. */
const USES = { digitalSignature: 0x80, keyCertSign: 0x04, cRLSign: 0x02 } as const

/** Any extension. */
export function extension(oid: string, value: Uint8Array, critical = true): Extension {
  return { oid, critical, value }
}

/** Whether it is an authority, and how many may stand below it. */
export function basicConstraints(isAuthority: boolean, pathLength?: number): Extension {
  const members = [
    ...(isAuthority ? [bool(true)] : []),
    ...(pathLength === undefined ? [] : [int(pathLength)]),
  ]
  return extension('2.5.29.19', seq(...members))
}

/** What the key may be used for. */
export function keyUsage(...uses: readonly (keyof typeof USES)[]): Extension {
  const byte = uses.reduce((all, use) => all | USES[use], 0)
  const unused = byte === 0 ? 0 : Math.log2(byte & -byte)
  return extension('2.5.29.15', byte === 0 ? bitString(Buffer.alloc(0)) : bitString(Buffer.of(byte), unused))
}

/** The names that the certificate is for. */
export function subjectNames(...names: readonly Name[]): Extension {
  return extension('2.5.29.17', seq(...names.map(generalName)), false)
}

/** What names may stand below. */
export function nameConstraints(permitted: readonly Name[], excluded: readonly Name[] = []): Extension {
  const subtrees = (mark: number, names: readonly Name[]) =>
    names.length === 0 ? [] : [explicit(mark, ...names.map((name) => seq(generalName(name))))]
  return extension('2.5.29.30', seq(...subtrees(0, permitted), ...subtrees(1, excluded)))
}

/** Names of the keys of a certificate and of its issuer, without which strict readers find no path. */
export function keyIdentifiers(key: TestKey, issuer: TestKey): Extension[] {
  return [
    extension('2.5.29.14', octetString(idOf(key)), false),
    extension('2.5.29.35', seq(implicit(0, idOf(issuer))), false),
  ]
}

/** A distinguished name of one common name; empty for an empty one. */
export function commonName(text: string): Buffer {
  return text === '' ? seq() : seq(set(seq(objectId('2.5.4.3'), utf8(text))))
}

/** An extension as it stands in a certificate. */
export function encode({ oid, critical, value }: Extension): Buffer {
  return seq(objectId(oid), ...(critical ? [bool(true)] : []), octetString(value))
}

function generalName([form, value]: Name): Buffer {
  if (form === 'directory') return explicit(4, value)
  const tags = { mail: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const
  return tlv(tags[form], Buffer.from(value as string))
}

function idOf({ spki }: TestKey): Buffer {
  return createHash('sha1').update(spki).digest()
}
