/** AMD's processors whose reports are read; TCB numbers are comparable within one of them only. */
export type SnpProduct = 'Milan' | 'Genoa' | 'Turin'

/** Versions of the firmware that a guest relies on; only Turin has an FMC. */
export interface SnpTcb {
  readonly fmc?: number
  readonly bootloader: number
  readonly tee: number
  readonly snp: number
  readonly microcode: number
}

/** A guest under AMD SEV-SNP. Nobody says which TCB is up to date: every part of the smallest one is the user's. */
export interface SnpCondition {
  readonly tee: 'snp'
  readonly product: SnpProduct
  /** 48 bytes in lower-case hex. */
  readonly measurement: string
  readonly minimumTcb: SnpTcb
  /** Least privileged level that is accepted; 0, the most privileged, unless said. */
  readonly vmpl?: number
  /** Whether a key that a cloud shares between its machines may sign; not unless said. */
  readonly vlek?: boolean
}

/** Intel's words for a TCB. */
export type TcbStatus =
  | 'UpToDate'
  | 'SWHardeningNeeded'
  | 'ConfigurationNeeded'
  | 'ConfigurationAndSWHardeningNeeded'
  | 'TDRelaunchAdvised'
  | 'TDRelaunchAdvisedConfigurationNeeded'
  | 'OutOfDate'
  | 'OutOfDateConfigurationNeeded'
  | 'Revoked'

/** A guest under Intel TDX; each register is 48 bytes in lower-case hex, and any may be asked for. */
export interface TdxCondition {
  readonly tee: 'tdx'
  readonly mrtd: string
  readonly rtmr0?: string
  readonly rtmr1: string
  readonly rtmr2: string
  readonly rtmr3?: string
  /** The words that are accepted; `UpToDate` alone unless said. */
  readonly tcbStatus?: readonly Exclude<TcbStatus, 'Revoked'>[]
}

/** What a user demands of the hardware that holds a root's key; of several, one has to fit as a whole. */
export type HardwareCondition = SnpCondition | TdxCondition
