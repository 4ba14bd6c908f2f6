import { type KeyObject, X509Certificate } from 'node:crypto'
import { type AlgorithmIdentifier, type Extension, Certificate as Fields } from 'pkijs'
import { isDer } from './der.ts'
import { type Digest, digestOf } from './digest.ts'

/**
 * One certificate, read twice: pkijs for the fields and extensions that Node does not show, OpenSSL (through Node) for
 * keys, dates and signatures. As it must be DER, both read the same.
 */
export interface Certificate {
  readonly der: Buffer
  /** SHA-256 of the DER. */
  readonly fingerprint: Digest
  readonly notBefore: Date
  readonly notAfter: Date
  /** DER of the two names; names are equal when their bytes are. */
  readonly subject: Buffer
  readonly issuer: Buffer
  readonly key: KeyObject
  readonly signatureAlgorithm: AlgorithmIdentifier
  /** The extensions by their OID, as dotted numbers. */
  readonly extensions: ReadonlyMap<string, Extension>
  /** Whether OpenSSL, too, takes it for an authority whose extensions are in order. */
  readonly isAuthority: boolean
  /** Whether a key made the signature of this certificate. */
  readonly isSignedBy: (key: KeyObject) => boolean
}

/** Certificates from the one that signs the bundle to its root; each is followed by its issuer. */
export type Chain = readonly [Certificate, ...Certificate[]]

/** Reads a certificate; throws when it is not exactly one, in DER. */
export function parseCertificate(der: Buffer): Certificate {
  if (!isDer(der)) throw new TypeError('A certificate is one value in DER.')
  const fields = Fields.fromBER(der)
  const x509 = new X509Certificate(der)
  return {
    der,
    fingerprint: digestOf(der),
    notBefore: x509.validFromDate,
    notAfter: x509.validToDate,
    subject: Buffer.from(fields.subject.valueBeforeDecode),
    issuer: Buffer.from(fields.issuer.valueBeforeDecode),
    key: x509.publicKey,
    signatureAlgorithm: fields.signatureAlgorithm,
    extensions: extensionsOf(fields),
    isAuthority: x509.ca,
    isSignedBy: (key) => x509.verify(key),
  }
}

/** An extension's value as pkijs models it; undefined when the certificate does not have the extension. */
export function readExtension<T>(
  certificate: Certificate,
  oid: string,
  model: abstract new (...args: never[]) => T,
): T | undefined {
  const extension = certificate.extensions.get(oid)
  if (!extension) return undefined
  const value: unknown = extension.parsedValue
  // pkijs gives an empty model with a note when it fails to parse, which would read as "no constraint".
  const failed = !(value instanceof model) || (value as { parsingError?: string }).parsingError !== undefined
  if (failed || !isDer(extension.extnValue.valueBlock.valueHexView))
    throw new TypeError(`${oid} is malformed.`)
  return value
}

/** Whether a certificate names itself as its issuer. */
export function isSelfIssued({ subject, issuer }: Certificate): boolean {
  return subject.equals(issuer)
}

function extensionsOf({ version, extensions = [] }: Fields): Map<string, Extension> {
  const byOid = new Map(extensions.map((extension) => [extension.extnID, extension]))
  if (byOid.size < extensions.length) throw new TypeError('An extension stands twice in a certificate.')
  if (byOid.size > 0 && version !== 2) throw new TypeError('Only certificates of version 3 have extensions.')
  return byOid
}
