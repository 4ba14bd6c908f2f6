import { type KeyObject, X509Certificate } from 'node:crypto'
import { limits } from '#contract/limits'
import { around, expectTag, Members, marked, membersOf, parseDer, tags, type Value } from './der-value.ts'
import { type Digest, digestOf } from './digest.ts'
import { AttestationError } from './errors.ts'
import type { Oid } from './oid.ts'

/** An extension of a certificate; its value is DER of its own. */
export interface Extension {
  readonly isCritical: boolean
  readonly value: Buffer
}

/** How a certificate is signed. */
export interface SignatureAlgorithm {
  readonly oid: Oid
  readonly parameters: Value | undefined
}

/**
 * One certificate, read twice: here for the fields and extensions that Node does not show, by OpenSSL (through Node)
 * for keys, dates and signatures. As it must be DER, both read the same.
 */
export interface Certificate {
  readonly der: Buffer
  /** SHA-256 of the DER. */
  readonly fingerprint: Digest
  readonly notBefore: Date
  readonly notAfter: Date
  /** As it stands in the DER, with a zero before it where a number needs one. */
  readonly serialNumber: Buffer
  /** DER of the two names; names are equal when their bytes are. */
  readonly subject: Buffer
  readonly issuer: Buffer
  readonly key: KeyObject
  /** The key's own DER. */
  readonly spki: Buffer
  readonly signatureAlgorithm: SignatureAlgorithm
  readonly extensions: ReadonlyMap<Oid, Extension>
  /** Whether a key made the signature of this certificate. */
  readonly isSignedBy: (key: KeyObject) => boolean
}

/** Certificates from the one that signs the bundle to its root; each is followed by its issuer. */
export type Chain = readonly [Certificate, ...Certificate[]]

const VERSION_3 = Buffer.from('020102', 'hex')

/**
 * Reads a certificate. Throws a `TypeError`, or OpenSSL's error, when the bytes are not exactly one in DER, and refuses
 * (`cert-chain` / `too_complex`) more extensions than are read.
 */
export function parseCertificate(der: Buffer): Certificate {
  const fields = parseFields(der)
  const x509 = new X509Certificate(der)
  return {
    ...fields,
    der,
    fingerprint: digestOf(der),
    notBefore: x509.validFromDate,
    notAfter: x509.validToDate,
    key: x509.publicKey,
    isSignedBy: (key) => x509.verify(key),
  }
}

/** What is read of a certificate without OpenSSL. */
type Fields = Pick<
  Certificate,
  'serialNumber' | 'subject' | 'issuer' | 'spki' | 'signatureAlgorithm' | 'extensions'
>

/**
 * Reads the fields of a certificate (RFC 5280, 4.1); dates, names and signature are not checked. Throws what
 * `parseCertificate` throws, but reads without OpenSSL.
 */
export function parseFields(der: Buffer): Fields {
  const certificate = new Members(parseDer(der))
  const signed = new Members(certificate.need(tags.sequence))
  const [oid, parameters] = membersOf(certificate.need(tags.sequence))
  certificate.need(tags.bits)
  certificate.end()
  const version = signed.take(around(0))?.content
  const serialNumber = signed.need(tags.integer).content
  signed.need(tags.sequence)
  const issuer = signed.need(tags.sequence).whole
  signed.need(tags.sequence)
  const subject = signed.need(tags.sequence).whole
  const spki = signed.need(tags.sequence).whole
  // Marks for names that are used twice, which nobody has and nobody reads.
  signed.take(marked(1))
  signed.take(marked(2))
  const extensions = extensionsOf(signed.take(around(3)))
  signed.end()
  if (extensions.size > 0 && !version?.equals(VERSION_3))
    throw new TypeError('Only certificates of version 3 have extensions.')
  const algorithm = { oid: expectTag(oid, tags.oid).content.toString('hex'), parameters }
  return { serialNumber, issuer, subject, spki, signatureAlgorithm: algorithm, extensions }
}

/** Whether a certificate names itself as its issuer. */
export function isSelfIssued({ subject, issuer }: Certificate): boolean {
  return subject.equals(issuer)
}

function extensionsOf(value: Value | undefined): Map<Oid, Extension> {
  const byOid = new Map<Oid, Extension>()
  if (value === undefined) return byOid
  const list = new Members(value, around(3))
  const extensions = membersOf(list.need(tags.sequence))
  list.end()
  if (extensions.length > limits.maxCertificateExtensions)
    throw new AttestationError('cert-chain', 'too_complex')
  for (const extension of extensions) {
    const members = new Members(extension)
    const oid = members.need(tags.oid).content.toString('hex')
    const isCritical = (members.take(tags.boolean)?.content[0] ?? 0) !== 0
    const { content } = members.need(tags.octets)
    members.end()
    byOid.set(oid, { isCritical, value: content })
  }
  if (byOid.size < extensions.length) throw new TypeError('An extension stands twice in a certificate.')
  return byOid
}
