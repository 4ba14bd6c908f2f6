import { hash, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { type BaseBlock, BitString, OctetString } from 'asn1js'
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  Extension,
  ExtKeyUsage,
  GeneralName,
  GeneralNames,
  id_AuthorityKeyIdentifier,
  id_BasicConstraints,
  id_ExtKeyUsage,
  id_KeyUsage,
  id_SubjectAltName,
  id_SubjectKeyIdentifier,
} from 'pkijs'

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const KEY_ID_BYTES = 20

// RFC 5280, 4.2.1.6: the kinds of names.
const DNS_NAME = 2
const IP_ADDRESS = 7

/** An authority that may have at most so many others below it. */
export function authority(pathLength: number): Extension[] {
  const constraints = new BasicConstraints({ cA: true, pathLenConstraint: pathLength })
  const signsCertificatesAndLists = new BitString({ valueHex: Uint8Array.of(0b0000_0110), unusedBits: 1 })
  return [
    critical(id_BasicConstraints, constraints.toSchema()),
    critical(id_KeyUsage, signsCertificatesAndLists),
  ]
}

/** The holder of a key that signs data, for these names if any. */
export function endEntity(names: readonly string[]): Extension[] {
  const signsData = new BitString({ valueHex: Uint8Array.of(0b1000_0000), unusedBits: 7 })
  return [
    critical(id_BasicConstraints, new BasicConstraints().toSchema()),
    critical(id_KeyUsage, signsData),
    ...(names.length === 0 ? [] : [subjectNames(names)]),
  ]
}

/** For TLS servers. */
export function serverAuth(): Extension {
  return plain(id_ExtKeyUsage, new ExtKeyUsage({ keyPurposes: [SERVER_AUTH] }).toSchema())
}

/** Names the key and the key that vouches for it. */
export function keyIds(subject: KeyObject, issuer: KeyObject): Extension[] {
  return [
    plain(id_SubjectKeyIdentifier, keyIdOf(subject)),
    plain(
      id_AuthorityKeyIdentifier,
      new AuthorityKeyIdentifier({ keyIdentifier: keyIdOf(issuer) }).toSchema(),
    ),
  ]
}

/** An extension that whoever does not know it may pass over; its value is given as bytes. */
export function opaque(extnID: string, value: Uint8Array): Extension {
  return new Extension({ extnID, extnValue: Uint8Array.from(value).buffer })
}

function subjectNames(names: readonly string[]): Extension {
  return plain(id_SubjectAltName, new GeneralNames({ names: names.map(generalName) }).toSchema())
}

function plain(extnID: string, value: BaseBlock): Extension {
  return new Extension({ extnID, extnValue: value.toBER() })
}

function critical(extnID: string, value: BaseBlock): Extension {
  return new Extension({ extnID, critical: true, extnValue: value.toBER() })
}

/** RFC 7093, method 1, taken over the whole key information: any unique name does. */
function keyIdOf(publicKey: KeyObject): OctetString {
  const digest = hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'buffer')
  return new OctetString({ valueHex: digest.subarray(0, KEY_ID_BYTES) })
}

function generalName(name: string): GeneralName {
  if (isIP(name) !== 4) return new GeneralName({ type: DNS_NAME, value: name })
  const valueHex = Uint8Array.from(name.split('.').map(Number))
  return new GeneralName({ type: IP_ADDRESS, value: new OctetString({ valueHex }) })
}
