import { type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { BitString, Integer } from 'asn1js'
import {
  AlgorithmIdentifier,
  Certificate,
  type Extension,
  PublicKeyInfo,
  type RelativeDistinguishedNames,
  Time,
  TimeType,
} from 'pkijs'

/** What a certificate is to say. */
export interface Template {
  readonly subject: RelativeDistinguishedNames
  readonly publicKey: KeyObject
  readonly extensions: readonly Extension[]
  readonly validDays: number
}

/** Who vouches for it: a name and a P-256 key. */
export interface Issuer {
  readonly name: RelativeDistinguishedNames
  readonly privateKey: KeyObject
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const VERSION_3 = 2
const SERIAL_BYTES = 16
const DAY_MS = 24 * 3_600_000
// Ours: a verifier's clock may be behind.
const BACKDATED_MS = 3_600_000
// RFC 5280, 4.1.2.5: up to 2049 a year has two digits.
const FIRST_LONG_YEAR = 2050

/** Makes an X.509 certificate, signed with ECDSA and SHA-256, that is valid from an hour before `now`. */
export function createCertificate(template: Template, issuer: Issuer, now: Date): X509Certificate {
  const { subject, publicKey, extensions, validDays } = template
  const algorithm = new AlgorithmIdentifier({ algorithmId: ECDSA_WITH_SHA256 })
  const certificate = new Certificate({
    version: VERSION_3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: issuer.name,
    notBefore: time(now.getTime() - BACKDATED_MS),
    notAfter: time(now.getTime() + validDays * DAY_MS),
    subject,
    subjectPublicKeyInfo: PublicKeyInfo.fromBER(publicKey.export({ type: 'spki', format: 'der' })),
    extensions: [...extensions],
    signatureAlgorithm: algorithm,
  })
  const body = new Uint8Array(certificate.encodeTBS().toBER())
  certificate.signatureValue = new BitString({ valueHex: sign('sha256', body, issuer.privateKey) })
  return new X509Certificate(new Uint8Array(certificate.toSchema(true).toBER()))
}

/** The subject of a certificate, as the next one below has to repeat it. */
export function subjectOf({ raw }: X509Certificate): RelativeDistinguishedNames {
  return Certificate.fromBER(raw).subject
}

/** Positive, and of the same length always. */
function serialNumber(): Integer {
  const bytes = randomBytes(SERIAL_BYTES)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return new Integer({ valueHex: bytes })
}

function time(atMs: number): Time {
  const value = new Date(Math.floor(atMs / 1_000) * 1_000)
  const short = value.getUTCFullYear() < FIRST_LONG_YEAR
  return new Time({ type: short ? TimeType.UTCTime : TimeType.GeneralizedTime, value })
}
