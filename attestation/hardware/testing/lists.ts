import { sign } from 'node:crypto'
import * as asn1 from '../../testing/asn1.ts'
import { issueCertificate, nameOf } from '../../testing/certificates.ts'
import { basicConstraints, keyUsage } from '../../testing/extensions.ts'
import { type KeyPair, makeKeys } from '../../testing/keys.ts'

/** What a list of revoked certificates shall say. */
export interface ListRequest {
  readonly issuer: string
  readonly keys: KeyPair
  readonly since: Date
  readonly until?: Date
  /** DER of what is listed, each a sequence. */
  readonly entries?: readonly Buffer[]
  readonly extensions?: readonly Buffer[]
  readonly version?: number
  /** The algorithm that is named, within the signature and beside it. */
  readonly inner?: Buffer
  readonly outer?: Buffer
}

const ECDSA_SHA256 = asn1.sequence(asn1.oid('1.2.840.10045.4.3.2'))
export const ECDSA_SHA384 = asn1.sequence(asn1.oid('1.2.840.10045.4.3.3'))

/** An authority's name, key and certificate. */
export function makeAuthority(name: string): { readonly keys: KeyPair; readonly der: Buffer } {
  const keys = makeKeys('ES256')
  const validity = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2050-01-01T00:00:00Z') }
  const extensions = [basicConstraints(true), keyUsage({ certSign: true })]
  return {
    keys,
    der: issueCertificate({ subject: name, issuer: name, keys, signer: keys, ...validity, extensions }),
  }
}

/** One revoked certificate, with extensions if there are any. */
export function entryOf(serialNumber: number, since: Date, extensions: readonly Buffer[] = []): Buffer {
  const said = extensions.length > 0 ? [asn1.sequence(...extensions)] : []
  return asn1.sequence(asn1.integer(serialNumber), asn1.time(since), ...said)
}

/** An extension of a list or an entry. */
export function extensionOf(dotted: string, critical: boolean): Buffer {
  const mark = critical ? [asn1.boolean(true)] : []
  return asn1.sequence(asn1.oid(dotted), ...mark, asn1.octets(asn1.integer(1)))
}

/** Makes a list (RFC 5280, 5), in DER. */
export function issueList(request: ListRequest): Buffer {
  const { issuer, keys, since, until, entries = [], extensions = [], version = 1 } = request
  const { inner = ECDSA_SHA256, outer = ECDSA_SHA256 } = request
  const signed = asn1.sequence(
    asn1.integer(version),
    inner,
    nameOf(issuer),
    asn1.time(since),
    ...(until ? [asn1.time(until)] : []),
    ...(entries.length > 0 ? [asn1.sequence(...entries)] : []),
    ...(extensions.length > 0 ? [asn1.around(0, asn1.sequence(...extensions))] : []),
  )
  return asn1.sequence(signed, outer, asn1.bits(sign('sha256', signed, keys.privateKey)))
}
