import { expect, test } from 'vitest'
import { digestOf, type HardwareEvidence } from '#attestation'
import { isVerificationOutput } from '#contract/validators/verification-output'
import { hardwareDocument } from '#egress/hardware.ts'
import { demandFor, hardwareInRows } from './hardware.ts'

const measurement = 'ab'.repeat(48)
const parts = { bootloader: 10, tee: 0, snp: 23, microcode: 84 }
const amd: HardwareEvidence = {
  format: 'amd-sev-snp-report',
  product: 'Genoa',
  tcb: { status: null, parts, advisories: [] },
  measurements: { measurement },
  vmpl: 0,
  endorsement: 'vcek',
  endorsedUntil: new Date('2031-01-01T00:00:00Z'),
  collateralUntil: null,
  chipId: digestOf('chip'),
}
const registers = {
  mrtd: measurement,
  rtmr0: measurement,
  rtmr1: measurement,
  rtmr2: measurement,
  rtmr3: measurement,
}
const intel: HardwareEvidence = {
  format: 'intel-tdx-quote-v5',
  product: 'TDX',
  tcb: { status: 'OutOfDate', parts: null, advisories: ['INTEL-SA-00001'] },
  measurements: registers,
  vmpl: null,
  endorsement: 'pck',
  endorsedUntil: new Date('2031-01-01T00:00:00Z'),
  collateralUntil: new Date('2026-07-01T00:00:00Z'),
  chipId: digestOf('machine'),
}

test.each([amd, intel])(
  'what was seen of hardware is told as its document has it, the chip as a hash: %#',
  (seen) => {
    const hardware = hardwareDocument(seen)
    const output = {
      admitted: true,
      verified_through: 'policy',
      stage: null,
      reason: null,
      evidence_digest: digestOf('snapshot'),
      channel_binding: 'observed',
      hardware,
    }
    expect(isVerificationOutput(output)).toBe(true)
    expect(hardware.chip_id_hash).toBe(seen.chipId)
  },
)

test('people are told what runs, on what, and until when somebody vouches for it', () => {
  expect(hardwareInRows(hardwareDocument(amd))).toEqual([
    ['hardware', 'AMD SEV-SNP, Genoa, VMPL 0'],
    ['firmware', 'bootloader 10, tee 0, snp 23, microcode 84'],
    ['measurement', measurement],
    ['vouched', 'by AMD for this chip, until 2031-01-01T00:00:00.000Z'],
  ])
  expect(hardwareInRows(hardwareDocument(intel)).map(([name, text]) => `${name} ${text}`)).toEqual(
    expect.arrayContaining([
      'firmware OutOfDate, says Intel',
      'advisories INTEL-SA-00001',
      'collateral until 2026-07-01T00:00:00.000Z',
    ]),
  )
})

test('what one could demand is what was seen, and no more than it takes', () => {
  expect(demandFor(amd)).toEqual({ tee: 'snp', product: 'Genoa', measurement, minimumTcb: parts })
  expect(demandFor({ ...amd, vmpl: 1, endorsement: 'vlek' })).toMatchObject({ vmpl: 1, vlek: true })
  expect(demandFor(intel)).toEqual({
    tee: 'tdx',
    mrtd: measurement,
    rtmr1: measurement,
    rtmr2: measurement,
    tcbStatus: ['OutOfDate'],
  })
})

test('hardware that its vendor has revoked is nothing that one could demand', () => {
  expect(demandFor({ ...intel, tcb: { ...intel.tcb, status: 'Revoked' } })).toBeUndefined()
})
