import { hash, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { Boolean as Asn1Boolean, Integer, OctetString, Primitive, type Sequence } from 'asn1js'
import { type Block, bits, copy, oid, sequence, toDer } from './der.ts'

// The names are those of RFC 5280, 4.2.1.
const SUBJECT_KEY_ID = '2.5.29.14'
const KEY_USAGE = '2.5.29.15'
const SUBJECT_ALT_NAME = '2.5.29.17'
const BASIC_CONSTRAINTS = '2.5.29.19'
const AUTHORITY_KEY_ID = '2.5.29.35'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'

const KEY_ID_BYTES = 20

/** An authority that may have at most so many others below it. */
export function authority(pathLength: number): Sequence[] {
  const signsCertificatesAndLists = bits(Uint8Array.of(0b0000_0110), 1)
  return [
    critical(
      BASIC_CONSTRAINTS,
      sequence(new Asn1Boolean({ value: true }), new Integer({ value: pathLength })),
    ),
    critical(KEY_USAGE, signsCertificatesAndLists),
  ]
}

/** The holder of a key that signs data for these names. */
export function endEntity(names: readonly string[]): Sequence[] {
  const signsData = bits(Uint8Array.of(0b1000_0000), 7)
  return [
    critical(BASIC_CONSTRAINTS, sequence()),
    critical(KEY_USAGE, signsData),
    plain(SUBJECT_ALT_NAME, sequence(...names.map(generalName))),
  ]
}

/** For TLS servers. */
export function serverAuth(): Sequence {
  return plain(EXTENDED_KEY_USAGE, sequence(oid(SERVER_AUTH)))
}

/** Names the key and the key that vouches for it. */
export function keyIds(subject: KeyObject, issuer: KeyObject): Sequence[] {
  const issuerId = new Primitive({
    idBlock: { tagClass: 3, tagNumber: 0 },
    valueHex: copy(keyIdOf(issuer)),
  })
  return [
    plain(SUBJECT_KEY_ID, new OctetString({ valueHex: copy(keyIdOf(subject)) })),
    plain(AUTHORITY_KEY_ID, sequence(issuerId)),
  ]
}

/** An extension that whoever does not know it may pass over; its value is given as bytes. */
export function opaque(id: string, value: Uint8Array): Sequence {
  return sequence(oid(id), new OctetString({ valueHex: copy(value) }))
}

function plain(id: string, value: Block): Sequence {
  return opaque(id, toDer(value))
}

function critical(id: string, value: Block): Sequence {
  return sequence(
    oid(id),
    new Asn1Boolean({ value: true }),
    new OctetString({ valueHex: copy(toDer(value)) }),
  )
}

/** RFC 7093, method 1, taken over the whole key information: any unique name does. */
function keyIdOf(publicKey: KeyObject): Buffer {
  return hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'buffer').subarray(0, KEY_ID_BYTES)
}

function generalName(name: string): Primitive {
  const address = isIP(name) === 4
  const bytes = address ? Uint8Array.from(name.split('.').map(Number)) : Buffer.from(name, 'ascii')
  return new Primitive({ idBlock: { tagClass: 3, tagNumber: address ? 7 : 2 }, valueHex: copy(bytes) })
}
