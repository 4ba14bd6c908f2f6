import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HardwareCondition, SnpCondition, TdxCondition } from './conditions.ts'
import { readHardware } from './hardware.ts'
import { checkBinding, checkConditions } from './judge.ts'
import { flip, placesOf, reasonOf, verdictOn } from './testing/judging.ts'
import { snpSamples, tdxSamples } from './testing/real.ts'

const OTHER = '00'.repeat(48)

const [[, member, now, condition]] = snpSamples
const part = (change: Partial<typeof condition.minimumTcb>) => ({
  minimumTcb: { ...condition.minimumTcb, ...change },
})
test.each<readonly [string, HardwareCondition[], string]>([
  ['nothing', [], 'measurement_not_listed'],
  ['another product', [{ ...condition, product: 'Genoa' }], 'measurement_not_listed'],
  ['another measurement', [{ ...condition, measurement: OTHER }], 'measurement_not_listed'],
  ['another vendor', [tdxSamples[0][3]], 'measurement_not_listed'],
  ['a newer bootloader', [{ ...condition, ...part({ bootloader: 4 }) }], 'tcb_not_accepted'],
  ['a newer TEE', [{ ...condition, ...part({ tee: 1 }) }], 'tcb_not_accepted'],
  ['newer SNP firmware', [{ ...condition, ...part({ snp: 9 }) }], 'tcb_not_accepted'],
  ['newer microcode', [{ ...condition, ...part({ microcode: 116 }) }], 'tcb_not_accepted'],
  [
    'a part that it does not have',
    [{ ...condition, minimumTcb: { ...condition.minimumTcb, fmc: 0 } }],
    'tcb_not_accepted',
  ],
  [
    'half of it by each of two',
    [
      { ...condition, measurement: OTHER },
      { ...condition, ...part({ snp: 9 }) },
    ],
    'measurement_not_listed',
  ],
  ['it by the second of two', [{ ...condition, measurement: OTHER }, condition], 'root_key_not_bound'],
])('a Milan is judged when the user demands %s', (_, conditions, reason) => {
  expect(verdictOn(member, now, ...conditions)).toBe(reason)
})

const [, , [, shared, then, cloud]] = snpSamples
test.each<readonly [string, Partial<SnpCondition>, string]>([
  ['no key of a cloud', { vlek: false }, 'endorsement_invalid'],
  ['the most privileged level', { vmpl: 0 }, 'guest_unprotected'],
  ['neither', { vlek: true, vmpl: 3 }, 'root_key_not_bound'],
])('a Milan of a cloud is judged when the user demands %s', (_, change, reason) => {
  expect(verdictOn(shared, then, { ...cloud, ...change })).toBe(reason)
})

const [[, quote, when, tdx]] = tdxSamples
test.each<readonly [string, Partial<TdxCondition>, string]>([
  ['another MRTD', { mrtd: OTHER }, 'measurement_not_listed'],
  ['another RTMR0', { rtmr0: OTHER }, 'measurement_not_listed'],
  ['another RTMR1', { rtmr1: OTHER }, 'measurement_not_listed'],
  ['another RTMR2', { rtmr2: OTHER }, 'measurement_not_listed'],
  ['another RTMR3', { rtmr3: '11'.repeat(48) }, 'measurement_not_listed'],
  ['its RTMR3', { rtmr3: OTHER }, 'root_key_not_bound'],
  ['another word for its TCB', { tcbStatus: ['SWHardeningNeeded'] }, 'tcb_not_accepted'],
  ['no word for its TCB', { tcbStatus: [] }, 'tcb_not_accepted'],
])('a TDX guest is judged when the user demands %s', (_, change, reason) => {
  expect(verdictOn(quote, when, { ...tdx, ...change })).toBe(reason)
})

test('hardware that its vendor has revoked is accepted by nobody, whatever a demand says', () => {
  const { evidence } = readHardware(quote, new Date(when))
  const revoked = { ...evidence, tcb: { ...evidence.tcb, status: 'Revoked' } } as const
  const tcbStatus = ['UpToDate', 'Revoked'] as unknown as NonNullable<TdxCondition['tcbStatus']>
  expect(reasonOf(() => checkConditions(evidence, [{ ...tdx, tcbStatus }]))).toBeUndefined()
  expect(reasonOf(() => checkConditions(revoked, [{ ...tdx, tcbStatus }]))).toBe('tcb_not_accepted')
})

const spki = Buffer.from('the key of a root')
const reportData = Buffer.concat([hash('sha256', spki, 'buffer'), Buffer.alloc(32, 7)])

test('what a report begins with binds it to a key', () => {
  expect(reasonOf(() => checkBinding(reportData, spki))).toBeUndefined()
})

test('a report binds no other key, and what stands behind the digest is not asked', () => {
  const bound = placesOf(reportData).filter(
    (at) => reasonOf(() => checkBinding(flip(reportData, at), spki)) === undefined,
  )
  expect(bound).toEqual(placesOf(reportData).slice(32))
})
