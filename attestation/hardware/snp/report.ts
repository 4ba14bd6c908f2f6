import type { SnpProduct } from '../conditions.ts'
import { demand } from '../refusal.ts'

/** What is read of a report that the firmware signed for a guest. */
export interface Report {
  readonly signed: Buffer
  /** `r` and `s`, each in 72 bytes, the lowest first. */
  readonly signature: Buffer
  /** Undefined before version 3, which does not say. */
  readonly product: SnpProduct | undefined
  readonly policy: bigint
  readonly vmpl: number
  readonly signingKey: 'vcek' | 'vlek'
  /** Undefined where it is masked. */
  readonly chipId: Buffer | undefined
  readonly reportData: Buffer
  readonly measurement: Buffer
  /** Eight bytes each; what they say depends on the product. */
  readonly tcb: { readonly reported: Buffer; readonly committed: Buffer; readonly launch: Buffer }
}

const BYTES = 1184
const SIGNED_BYTES = 0x2a0
const ECDSA_P384_SHA384 = 1
const SIGNING_KEYS: readonly (Report['signingKey'] | undefined)[] = ['vcek', 'vlek']

/** Where nothing may stand in a report of some version, from and to. */
const reserved = (version: number): readonly (readonly [number, number])[] => [
  [0x4c, 0x50],
  [version < 3 ? 0x188 : 0x18b, 0x1a0],
  [0x1eb, 0x1ec],
  [0x1ef, 0x1f0],
  [version < 5 ? 0x1f8 : 0x208, SIGNED_BYTES],
  [0x330, BYTES],
]

/**
 * Reads a report of version 2 to 5. Refuses another length or something at a place that is reserved
 * (`quote_malformed`), and a version, algorithm, signing key or processor that is not known (`quote_unsupported`).
 */
export function parseReport(bytes: Buffer): Report {
  demand(bytes.length === BYTES, 'quote_malformed')
  const version = bytes.readUInt32LE(0x00)
  demand(version >= 2 && version <= 5, 'quote_unsupported')
  const chipId = bytes.subarray(0x1a0, 0x1e0)
  const keyInfo = bytes.readUInt32LE(0x48)
  demand(
    reserved(version).every(([from, to]) => isZero(bytes.subarray(from, to))) && keyInfo >> 5 === 0,
    'quote_malformed',
  )
  const signingKey = SIGNING_KEYS[(keyInfo >> 2) & 7]
  demand(signingKey !== undefined, 'quote_unsupported')
  demand(bytes.readUInt32LE(0x34) === ECDSA_P384_SHA384, 'quote_unsupported')
  return {
    signed: bytes.subarray(0, SIGNED_BYTES),
    signature: bytes.subarray(SIGNED_BYTES, 0x330),
    product: version < 3 ? undefined : productOf(bytes),
    policy: bytes.readBigUInt64LE(0x08),
    vmpl: bytes.readUInt32LE(0x30),
    signingKey,
    chipId: (keyInfo & 2) !== 0 || isZero(chipId) ? undefined : chipId,
    reportData: bytes.subarray(0x50, 0x90),
    measurement: bytes.subarray(0x90, 0xc0),
    tcb: {
      reported: bytes.subarray(0x180, 0x188),
      committed: bytes.subarray(0x1e0, 0x1e8),
      launch: bytes.subarray(0x1f0, 0x1f8),
    },
  }
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0)
}

/** Families with models, from and to. Bergamo and Siena are endorsed as Genoa. */
const PROCESSORS: readonly (readonly [family: number, from: number, to: number, product: SnpProduct])[] = [
  [0x19, 0x00, 0x0f, 'Milan'],
  [0x19, 0x10, 0x1f, 'Genoa'],
  [0x19, 0xa0, 0xaf, 'Genoa'],
  [0x1a, 0x00, 0x1f, 'Turin'],
]

function productOf(bytes: Buffer): SnpProduct {
  const family = bytes.readUInt8(0x188)
  const model = bytes.readUInt8(0x189)
  const row = PROCESSORS.find(([of, from, to]) => of === family && from <= model && model <= to)
  demand(row !== undefined, 'quote_unsupported')
  return row[3]
}
