import { type KeyObject, sign, type X509Certificate } from 'node:crypto'
import { type BaseBlock, IA5String, Integer } from 'asn1js'
import { opaque } from '../certificates/extensions.ts'
import { publishedKey } from './keys.ts'
import { boundTo, measured, type Simulation } from './simulation.ts'
import { createAuthorityBelow, createVendorRoot, endorse } from './vendor.ts'

const AMD = '1.3.6.1.4.1.3704.1'
const PRODUCT = 'Genoa'
const FAMILY_AND_MODEL = [0x19, 0x11]
const CHIP = Buffer.alloc(64, 0xc4)
/** The firmware: in a TCB's eight bytes the place of each part, in certificates the number of its extension. */
const TCB = [
  { place: 0, extension: 1, version: 10 },
  { place: 1, extension: 2, version: 0 },
  { place: 6, extension: 3, version: 23 },
  { place: 7, extension: 8, version: 84 },
] as const
/** SMT is allowed, and the bit that is always set; no debugging and no migration. */
const POLICY = 0x3_0000n
const ECDSA_P384_SHA384 = 1

/** The places of a report of version 3 (SEV Secure Nested Paging Firmware ABI, ATTESTATION_REPORT). */
const at = {
  version: 0x00,
  policy: 0x08,
  algorithm: 0x34,
  reportData: 0x50,
  measurement: 0x90,
  processor: 0x188,
  chip: 0x1a0,
  tcbs: [0x38, 0x180, 0x1e0, 0x1f0],
  signature: 0x2a0,
} as const
const REPORT_BYTES = 1_184
const NUMBER_BYTES = 48
const NUMBER_ROOM = 72

/** Plays an AMD processor of the kind Genoa. */
export function simulateAmd(now: Date): Simulation {
  const root = createVendorRoot(`ARK-${PRODUCT}`, now)
  const authority = createAuthorityBelow(root, `SEV-${PRODUCT} (simulated)`, now)
  const chip = publishedKey('SEV-VCEK', 'P-384')
  const said = [
    extension('1', new Integer({ value: 0 })),
    extension('2', new IA5String({ value: PRODUCT })),
    ...TCB.map(({ extension: number, version }) => extension(`3.${number}`, new Integer({ value: version }))),
    opaque(`${AMD}.4`, CHIP),
  ]
  const vcek = String(endorse(authority, 'SEV-VCEK', chip, said, now))
  return {
    vendor: [root.certificate, authority.certificate],
    quoteOf: (of) => ({
      status: 'simulated',
      format: 'amd-sev-snp-report',
      data: signed(reportAbout(of), chip.privateKey).toString('base64'),
      collateral: { vcek },
    }),
  }
}

function extension(number: string, value: BaseBlock) {
  return opaque(`${AMD}.${number}`, new Uint8Array(value.toBER()))
}

function reportAbout(root: X509Certificate): Buffer {
  const report = Buffer.alloc(REPORT_BYTES)
  report.writeUInt32LE(3, at.version)
  report.writeBigUInt64LE(POLICY, at.policy)
  report.writeUInt32LE(ECDSA_P384_SHA384, at.algorithm)
  for (const tcb of at.tcbs) for (const { place, version } of TCB) report.writeUInt8(version, tcb + place)
  boundTo(root).copy(report, at.reportData)
  measured('guest').copy(report, at.measurement)
  report.set(FAMILY_AND_MODEL, at.processor)
  CHIP.copy(report, at.chip)
  return report
}

/** Writes both numbers of the signature, each with its lowest byte first. */
function signed(report: Buffer, key: KeyObject): Buffer {
  const body = report.subarray(0, at.signature)
  const numbers = sign('sha384', body, { key, dsaEncoding: 'ieee-p1363' })
  numbers.subarray(0, NUMBER_BYTES).reverse().copy(report, at.signature)
  numbers
    .subarray(NUMBER_BYTES)
    .reverse()
    .copy(report, at.signature + NUMBER_ROOM)
  return report
}
