import { hash, timingSafeEqual } from 'node:crypto'
import type { HardwareCondition, SnpTcb } from './conditions.ts'
import type { HardwareEvidence, MeasurementName } from './evidence.ts'
import { demand, type HardwareReason } from './refusal.ts'

/** Whether hardware that was read meets one demand of a condition. */
type Demand = (seen: HardwareEvidence, asked: HardwareCondition) => boolean

// Each demand is put to the conditions that the ones before have left, so that one condition has to fit as a whole;
// the reason told is that of the first demand that none of these meets.
const demands: readonly (readonly [Demand, HardwareReason])[] = [
  [isOfProduct, 'measurement_not_listed'],
  [acceptsEndorsement, 'endorsement_invalid'],
  [acceptsLevel, 'guest_unprotected'],
  [acceptsTcb, 'tcb_not_accepted'],
  [listsMeasurements, 'measurement_not_listed'],
]

// MRTD alone covers firmware; what boots is in the two registers behind it.
const REQUIRED = ['mrtd', 'rtmr1', 'rtmr2'] as const satisfies MeasurementName[]
const OPTIONAL = ['rtmr0', 'rtmr3'] as const satisfies MeasurementName[]

/**
 * Refuses hardware that no condition fits: of another product or with other measurements (`measurement_not_listed`),
 * a key shared by a cloud (`endorsement_invalid`), a level less privileged (`guest_unprotected`), or firmware below
 * what is asked (`tcb_not_accepted`).
 */
export function checkConditions(seen: HardwareEvidence, conditions: readonly HardwareCondition[]): void {
  let fitting = conditions
  for (const [isMet, reason] of demands) {
    fitting = fitting.filter((asked) => isMet(seen, asked))
    demand(fitting.length > 0, reason)
  }
}

/** Refuses (`root_key_not_bound`) a report about another key: it begins with the SHA-256 of the key's own DER. */
export function checkBinding(reportData: Buffer, spki: Uint8Array): void {
  const expected = hash('sha256', spki, 'buffer')
  demand(timingSafeEqual(reportData.subarray(0, expected.length), expected), 'root_key_not_bound')
}

function isOfProduct({ product }: HardwareEvidence, asked: HardwareCondition): boolean {
  return product === (asked.tee === 'snp' ? asked.product : 'TDX')
}

function acceptsEndorsement({ endorsement }: HardwareEvidence, asked: HardwareCondition): boolean {
  return endorsement !== 'vlek' || (asked.tee === 'snp' && asked.vlek === true)
}

function acceptsLevel({ vmpl }: HardwareEvidence, asked: HardwareCondition): boolean {
  return asked.tee === 'tdx' || (vmpl !== null && vmpl <= (asked.vmpl ?? 0))
}

function acceptsTcb({ tcb: { status, parts } }: HardwareEvidence, asked: HardwareCondition): boolean {
  if (asked.tee === 'snp') return parts !== null && reaches(parts, asked.minimumTcb)
  const accepted: readonly (string | null)[] = asked.tcbStatus ?? ['UpToDate']
  return status !== 'Revoked' && accepted.includes(status)
}

/** Every part that the hardware has must be asked for, and none besides. */
function reaches(parts: SnpTcb, minimum: SnpTcb): boolean {
  const names = Object.keys({ ...parts, ...minimum }) as (keyof SnpTcb)[]
  return names.every((name) => (parts[name] ?? -1) >= (minimum[name] ?? Number.POSITIVE_INFINITY))
}

function listsMeasurements({ measurements }: HardwareEvidence, asked: HardwareCondition): boolean {
  if (asked.tee === 'snp') return measurements.measurement === asked.measurement
  return (
    REQUIRED.every((name) => measurements[name] === asked[name]) &&
    OPTIONAL.every((name) => asked[name] === undefined || measurements[name] === asked[name])
  )
}
