import { demand } from '../refusal.ts'

/** What the TDX module says of a guest. */
export interface GuestReport {
  /** The SVNs of the TDX TCB that the guest was launched with, and those of today from TDX 1.5 on. */
  readonly tcbSvns: readonly [launch: Buffer, current?: Buffer]
  readonly seamSigner: Buffer
  readonly seamAttributes: Buffer
  readonly measurements: Readonly<Record<'mrtd' | 'rtmr0' | 'rtmr1' | 'rtmr2' | 'rtmr3', string>>
  readonly reportData: Buffer
}

const bit = (number: bigint) => 1n << number
const SEPT_VE_DISABLE = bit(28n)
/** ICSSD, LASS, the protection keys, key locker and counters: no way in. All that is not named is refused. */
const ALLOWED = SEPT_VE_DISABLE | bit(16n) | bit(27n) | bit(30n) | bit(31n) | bit(63n)

/**
 * Reads the body of a quote. Refuses (`guest_unprotected`) a guest that can be debugged, profiled or migrated, whose
 * pages its host can take away unseen, or that another guest serves.
 */
export function parseBody(body: Buffer): GuestReport {
  const piece = (from: number, length = 48) => body.subarray(from, from + length)
  const register = (from: number) => piece(from).toString('hex')
  const attributes = body.readBigUInt64LE(120)
  demand((attributes & ~ALLOWED) === 0n && (attributes & SEPT_VE_DISABLE) !== 0n, 'guest_unprotected')
  const isNewer = body.length > 584
  demand(!isNewer || piece(600).every((byte) => byte === 0), 'guest_unprotected')
  return {
    tcbSvns: isNewer ? [piece(0, 16), piece(584, 16)] : [piece(0, 16)],
    seamSigner: piece(64),
    seamAttributes: piece(112, 8),
    measurements: {
      mrtd: register(136),
      rtmr0: register(328),
      rtmr1: register(376),
      rtmr2: register(424),
      rtmr3: register(472),
    },
    reportData: piece(520, 64),
  }
}
