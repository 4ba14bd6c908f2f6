import type { Digest } from '../digest.ts'
import type { SnpProduct, SnpTcb, TcbStatus } from './conditions.ts'

/** The forms of a quote that are read. */
export type HardwareFormat = 'amd-sev-snp-report' | 'intel-tdx-quote-v4' | 'intel-tdx-quote-v5'

/** Names of measurements: AMD has one, Intel five registers. */
export type MeasurementName = 'measurement' | 'mrtd' | 'rtmr0' | 'rtmr1' | 'rtmr2' | 'rtmr3'

/** What genuine hardware says of the guest that holds a root's key. */
export interface HardwareEvidence {
  readonly format: HardwareFormat
  readonly product: SnpProduct | 'TDX'
  readonly tcb: {
    /** Intel's word; null for AMD. */
    readonly status: TcbStatus | null
    /** AMD: of each part the smallest that was reported, committed or launched with; null for Intel. */
    readonly parts: SnpTcb | null
    /** Intel's advisories about this TCB. */
    readonly advisories: readonly string[]
  }
  /** In lower-case hex. */
  readonly measurements: Readonly<Partial<Record<MeasurementName, string>>>
  /** AMD's privilege level of the asker; null for Intel. */
  readonly vmpl: number | null
  /** The kind of certificate that vouches for the signing key. */
  readonly endorsement: 'vcek' | 'vlek' | 'pck'
  /** When the first certificate on the way to the vendor ends. */
  readonly endorsedUntil: Date
  /** When the first part of Intel's collateral ends; null for AMD. */
  readonly collateralUntil: Date | null
  /** SHA-256 of what names the chip; null where it is masked. */
  readonly chipId: Digest | null
}
