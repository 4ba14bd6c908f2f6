import { type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { fromBER, GeneralizedTime, Integer, type Sequence, UTCTime } from 'asn1js'
import { type Block, bits, copy, oid, sequence, tagged, toDer } from './der.ts'

/** What a certificate is to say. */
export interface Template {
  readonly subject: Sequence
  readonly publicKey: KeyObject
  readonly extensions: readonly Sequence[]
  readonly validDays: number
}

/** Who vouches for it: a name and a P-256 key. */
export interface Issuer {
  readonly name: Block
  readonly privateKey: KeyObject
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const VERSION_3 = 2
const SERIAL_BYTES = 16
const DAY_MS = 86_400_000
// Ours: a verifier's clock may be behind.
const BACKDATED_MS = 3_600_000
// RFC 5280, 4.1.2.5: up to 2049 a year has two digits.
const FIRST_LONG_YEAR = 2050

/** Makes an X.509 certificate. */
export function createCertificate(template: Template, issuer: Issuer, now: Date): X509Certificate {
  const { subject, publicKey, extensions, validDays } = template
  const algorithm = sequence(oid(ECDSA_WITH_SHA256))
  const body = sequence(
    tagged(0, new Integer({ value: VERSION_3 })),
    serialNumber(),
    algorithm,
    issuer.name,
    sequence(time(now.getTime() - BACKDATED_MS), time(now.getTime() + validDays * DAY_MS)),
    subject,
    parse(publicKey.export({ type: 'spki', format: 'der' })),
    tagged(3, sequence(...extensions)),
  )
  const signature = sign('sha256', toDer(body), issuer.privateKey)
  return new X509Certificate(toDer(sequence(body, algorithm, bits(signature))))
}

/** The subject of a certificate, as the next one below has to repeat it. */
export function subjectOf({ raw }: X509Certificate): Block {
  const [body] = parse(raw).valueBlock.value as Sequence[]
  // Version, serial number, algorithm, issuer and validity stand before it.
  return body!.valueBlock.value[5] as Block
}

function parse(der: Uint8Array): Sequence {
  const { result } = fromBER(copy(der))
  return result as Sequence
}

/** Positive, and of the same length always. */
function serialNumber(): Integer {
  const bytes = randomBytes(SERIAL_BYTES)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return new Integer({ valueHex: copy(bytes) })
}

function time(atMs: number): Block {
  const valueDate = new Date(Math.floor(atMs / 1_000) * 1_000)
  const short = valueDate.getUTCFullYear() < FIRST_LONG_YEAR
  return short ? new UTCTime({ valueDate }) : new GeneralizedTime({ valueDate })
}
