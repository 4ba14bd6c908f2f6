import { type KeyObject, verify } from 'node:crypto'
import { digestOf } from '../../digest.ts'
import type { Member } from '../member.ts'
import { endOf } from '../path.ts'
import type { HardwareReading } from '../reading.ts'
import { demand, orRefuse } from '../refusal.ts'
import type { Vendors } from '../vendors.ts'
import { checkEndorsement } from './endorsement.ts'
import { parseReport, type Report } from './report.ts'
import { smallestTcb } from './tcb.ts'

const NUMBER_BYTES = 72
const CURVE_BYTES = 48
const MIGRATION_AGENT = 1n << 18n
const DEBUG = 1n << 19n

/** Reads a report of AMD SEV-SNP that its hardware signed, about a guest that nobody can look into. */
export function readSnp({ data, collateral }: Member, now: Date, vendors: Vendors): HardwareReading {
  const report = parseReport(data)
  const { product, chain } = checkEndorsement(report, collateral, now, vendors)
  demand(isSigned(report, chain[0].key), 'quote_signature_invalid')
  demand((report.policy & (DEBUG | MIGRATION_AGENT)) === 0n, 'guest_unprotected')
  return {
    evidence: {
      format: 'amd-sev-snp-report',
      product,
      tcb: { status: null, parts: smallestTcb(product, Object.values(report.tcb)), advisories: [] },
      measurements: { measurement: report.measurement.toString('hex') },
      vmpl: report.vmpl,
      endorsement: report.signingKey,
      endorsedUntil: endOf(chain),
      collateralUntil: null,
      chipId: report.chipId ? digestOf(report.chipId) : null,
    },
    reportData: report.reportData,
  }
}

function isSigned({ signed, signature }: Report, key: KeyObject): boolean {
  const numbers = [signature.subarray(0, NUMBER_BYTES), signature.subarray(NUMBER_BYTES)]
  // What stands above a number of this curve would make a second spelling of it.
  if (!numbers.every((number) => number.subarray(CURVE_BYTES).every((byte) => byte === 0))) return false
  const rs = Buffer.concat(numbers.map((number) => Buffer.from(number.subarray(0, CURVE_BYTES)).reverse()))
  // Of the keys that a path may have, only one of P-384 makes signatures of this length.
  return orRefuse('quote_signature_invalid', () =>
    verify('sha384', signed, { key, dsaEncoding: 'ieee-p1363' }, rs),
  )
}
