import { verify } from 'node:crypto'
import type { Certificate } from '../../certificate.ts'
import { around, Members, membersOf, parseDer, tags, type Value } from '../../der-value.ts'
import { parseInstant } from '../../instant.ts'
import { demand, orRefuse } from '../refusal.ts'

/** A list of what an authority has revoked. */
export interface RevocationList {
  readonly until: Date
  /** Serial numbers as they stand in certificates, in hex. */
  readonly serialNumbers: ReadonlySet<string>
}

/** Largest list that is read, for some thousand machines; ours. Intel's have some kilobytes. */
const MAX_BYTES = 131_072
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const VERSION_2 = Buffer.from([1])
const ECDSA_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex')
const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/

/**
 * Reads a list (RFC 5280, 5) and refuses one that its issuer did not sign, or that has something critical to say beside
 * serial numbers (`collateral_invalid`), and one that is not of now (`collateral_expired`).
 */
export function parseRevocations(der: Buffer, issuer: Certificate, now: Date): RevocationList {
  demand(der.length <= MAX_BYTES, 'collateral_invalid')
  const { since, ...list } = orRefuse('collateral_invalid', () => readList(der, issuer))
  demand(now >= since && now <= list.until, 'collateral_expired')
  return list
}

/** Refuses (`endorsement_revoked`) a certificate that its issuer has revoked. */
export function isNotRevoked({ serialNumber }: Certificate, { serialNumbers }: RevocationList): void {
  demand(!serialNumbers.has(serialNumber.toString('hex')), 'endorsement_revoked')
}

function readList(der: Buffer, issuer: Certificate): RevocationList & { readonly since: Date } {
  const list = new Members(parseDer(der))
  const signed = list.need(tags.sequence)
  const algorithm = list.need(tags.sequence).whole
  const [unused, ...signature] = list.need(tags.bits).content
  list.end()
  const fields = new Members(signed)
  expect(fields.need(tags.integer).content, VERSION_2)
  // Outside the signature stands the algorithm a second time; both must be the only one that Intel uses.
  expect(fields.need(tags.sequence).whole, ECDSA_SHA256)
  expect(algorithm, ECDSA_SHA256)
  expect(fields.need(tags.sequence).whole, issuer.subject)
  const isSigned = unused === 0 && verify('sha256', signed.whole, issuer.key, Buffer.from(signature))
  if (!isSigned) throw new TypeError('The issuer did not sign it.')
  const since = takeTime(fields)
  const until = takeTime(fields)
  const entries = fields.take(tags.sequence)
  const serialNumbers = entries ? membersOf(entries).map(serialNumberOf) : []
  const extensions = fields.take(around(0))
  if (extensions) haveNothingCritical(new Members(extensions, around(0)).need(tags.sequence))
  fields.end()
  return { since, until, serialNumbers: new Set(serialNumbers) }
}

function serialNumberOf(entry: Value): string {
  const members = new Members(entry)
  const serialNumber = members.need(tags.integer).content.toString('hex')
  takeTime(members)
  const extensions = members.take(tags.sequence)
  if (extensions) haveNothingCritical(extensions)
  members.end()
  return serialNumber
}

function haveNothingCritical(extensions: Value): void {
  for (const extension of membersOf(extensions)) {
    const members = new Members(extension)
    members.need(tags.oid)
    members.need(tags.octets)
    members.end()
  }
}

function takeTime(members: Members): Date {
  const short = members.take(UTC_TIME)?.content.toString('latin1')
  const text = short ?? members.need(GENERALIZED_TIME).content.toString('latin1')
  const century = short === undefined ? '' : short < '50' ? '20' : '19'
  return parseInstant((century + text).replace(TIME, '$1-$2-$3T$4:$5:$6Z'))
}

function expect(bytes: Buffer, expected: Buffer): void {
  if (!bytes.equals(expected)) throw new TypeError('Another value is expected here.')
}
