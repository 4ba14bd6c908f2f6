import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../json-value.ts'
import { readHardware, verifyHardware } from './hardware.ts'
import { reasonOf, refusalOf, verdictOn, withData, withoutCertificates } from './testing/judging.ts'
import { MILAN_AT, snpSamples, tdxSamples, V4_AT, V5_AT, VLEK_AT } from './testing/real.ts'
import { snpSample, tdxSample } from './testing/samples.ts'

const OTHER = '00'.repeat(48)
const milan = snpSample('milan-v2')
const v4 = tdxSample('tdx_quote', 4)
const bare = withoutCertificates(v4)

test.each([...snpSamples, ...tdxSamples])(
  '%s passes every check but the last: it is about another key',
  (...row) => {
    const [, member, now, condition] = row
    expect(verdictOn(member, now, condition)).toBe('root_key_not_bound')
  },
)

test('of a report is shown what AMD vouches for', () => {
  const [, , , , [, member, now, { measurement, minimumTcb }]] = snpSamples
  expect(readHardware(member, new Date(now)).evidence).toEqual({
    format: 'amd-sev-snp-report',
    product: 'Genoa',
    tcb: { status: null, parts: minimumTcb, advisories: [] },
    measurements: { measurement },
    vmpl: 0,
    endorsement: 'vcek',
    endorsedUntil: new Date('2032-01-24T02:21:48Z'),
    collateralUntil: null,
    chipId: 'sha256/i9BNWts3ptmJ46_IJp1HrmHH5DUkAb0xdEfPenm7jIo',
  })
})

test('of a report whose chip is masked is shown no chip', () => {
  const [, , [, member, now]] = snpSamples
  expect(readHardware(member, new Date(now)).evidence).toMatchObject({
    endorsement: 'vlek',
    vmpl: 1,
    chipId: null,
  })
})

test('of a quote is shown what Intel vouches for', () => {
  const [[, member, now, { mrtd, rtmr1, rtmr2 }]] = tdxSamples
  expect(readHardware(member, new Date(now)).evidence).toEqual({
    format: 'intel-tdx-quote-v4',
    product: 'TDX',
    tcb: { status: 'UpToDate', parts: null, advisories: [] },
    measurements: { mrtd, rtmr0: expect.stringMatching(/^44c0197b/), rtmr1, rtmr2, rtmr3: OTHER },
    vmpl: null,
    endorsement: 'pck',
    endorsedUntil: expect.any(Date),
    collateralUntil: expect.any(Date),
    chipId: expect.stringMatching(/^sha256\//),
  })
})

test.each(tdxSamples)('%s is accepted until its collateral ends', (_, member, now) => {
  const { collateralUntil } = readHardware(member, new Date(now)).evidence
  const end = Number(collateralUntil)
  expect(end).toBeGreaterThan(Date.parse(now))
  expect(reasonOf(() => readHardware(member, new Date(end)))).toBeUndefined()
  expect(reasonOf(() => readHardware(member, new Date(end + 1)))).toBe('collateral_expired')
})

test('a time that is none is within no dates', () => {
  expect(reasonOf(() => readHardware(milan, new Date(Number.NaN)))).toBe('endorsement_expired')
  expect(reasonOf(() => readHardware(v4, new Date(Number.NaN)))).toBe('endorsement_expired')
})

test.each<readonly [string, Json, string, string]>([
  ['that allows to be debugged', snpSample('milan-v2-debug'), MILAN_AT, 'guest_unprotected'],
  ['with the certificate of another chip', snpSample('milan-v2-other-chip'), MILAN_AT, 'endorsement_invalid'],
  [
    'under a key of its cloud that has expired',
    snpSample('milan-v3-vlek', 'vlek'),
    MILAN_AT,
    'endorsement_expired',
  ],
  ['under a key that is not valid yet', snpSample('milan-v5-gcp'), VLEK_AT, 'endorsement_expired'],
  [
    'with a byte behind it',
    withData(milan, (data) => Buffer.concat([data, Buffer.alloc(1)])),
    MILAN_AT,
    'quote_malformed',
  ],
  ['less its last byte', withData(milan, (data) => data.subarray(0, -1)), MILAN_AT, 'quote_malformed'],
  [
    'of a version that is not known',
    withData(milan, (data) => Buffer.concat([Buffer.from([6]), data.subarray(1)])),
    MILAN_AT,
    'quote_unsupported',
  ],
])('a report %s is refused', (_, member, now, reason) => {
  expect(refusalOf(member, now)).toBe(reason)
})

test.each<readonly [string, Json, string, string | undefined]>([
  ['with expired collateral', v4, '2025-07-19T10:16:04Z', 'collateral_expired'],
  ['before its collateral', v4, '2025-06-19T10:32:26Z', 'collateral_expired'],
  [
    'with text behind it',
    withData(v4, (data) => Buffer.concat([data, Buffer.from('text')])),
    V4_AT,
    'quote_malformed',
  ],
  [
    'with more zeros behind it',
    withData(v4, (data) => Buffer.concat([data, Buffer.alloc(9)])),
    V4_AT,
    undefined,
  ],
  ['that no level fits', tdxSample('tdx_quote_outdated', 5), '2026-02-19T00:00:00Z', 'tcb_not_accepted'],
  ['of a guest that can be debugged', tdxSample('v4-debug', 4, 'tdx_quote'), V4_AT, 'guest_unprotected'],
  [
    'of a guest whose pages can be taken away',
    tdxSample('v5-body3', 5, 'tdx_quote'),
    V4_AT,
    'guest_unprotected',
  ],
  [
    'with the collateral of other machines',
    tdxSample('tdx_quote', 4, 'tdx_quote_outdated'),
    '2026-02-19T00:00:00Z',
    'collateral_invalid',
  ],
  ['labelled as another version', { ...v4, format: 'intel-tdx-quote-v5' }, V4_AT, 'quote_malformed'],
])('a quote %s is judged so', (_, member, now, reason) => {
  expect(refusalOf(member, now)).toBe(reason)
})

test('a quote is out of date once Intel says so, and says why', () => {
  const member = tdxSample('tdx_quote', 4, 'tdx_quote_td15ex')
  const [[, , , condition]] = tdxSamples
  const { tcb } = readHardware(member, new Date(V5_AT)).evidence
  expect(tcb.status).toBe('OutOfDate')
  expect(tcb.advisories).toEqual(['INTEL-SA-01192', 'INTEL-SA-01245', 'INTEL-SA-01312', 'INTEL-SA-01313'])
  expect(verdictOn(member, V5_AT, condition)).toBe('tcb_not_accepted')
  const tolerant = { ...condition, tcbStatus: ['UpToDate', 'OutOfDate'] } as const
  expect(verdictOn(member, V5_AT, tolerant)).toBe('root_key_not_bound')
})

test('collateral of a certificate chain is needed only where the quote has none', () => {
  const [, [, v5, now]] = tdxSamples
  const { pck_certificate_chain: _, ...collateral } = v5.collateral
  expect(refusalOf({ ...v5, collateral }, now)).toBeUndefined()
})

test('whatever a member holds, it is refused with a reason and nothing breaks', () => {
  const piece = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<Json>(v4.data, milan.data, v4.collateral, milan.collateral),
  )
  const bytes = fc.uint8Array({ maxLength: 2000 }).map((array) => Buffer.from(array).toString('base64'))
  const edited = fc.tuple(fc.constantFrom(v4, milan), fc.nat(), fc.uint8Array({ maxLength: 8 })).map(
    ([sample, at, put]) =>
      withData(sample, (data) => {
        const start = at % data.length
        return Buffer.concat([data.subarray(0, start), put, data.subarray(start + put.length + (at % 3))])
      }).data,
  )
  const changed = fc
    .dictionary(
      fc.constantFrom('vcek', 'vlek', 'pck_certificate_chain', ...Object.keys(v4.collateral)),
      fc.oneof(piece, fc.string(), fc.constantFrom<Json>(null, false, 0, '')),
      { maxKeys: 3 },
    )
    .map((change) => ({ ...v4.collateral, ...milan.collateral, ...change }))
  const collateral = fc.oneof(piece, { weight: 4, arbitrary: changed })
  const member = fc.record(
    {
      format: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(v4.format, milan.format, 'intel-tdx-quote-v5') },
        piece,
      ),
      data: fc.oneof(bytes, edited, edited, fc.constant(bare.data), piece),
      collateral,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: member }, fc.jsonValue()), (made) => {
      const unbound = () =>
        verifyHardware(
          made as Json,
          Buffer.from('a key'),
          [snpSamples[0][3], tdxSamples[0][3]],
          new Date(V4_AT),
        )
      expect(reasonOf(unbound)).toBeDefined()
    }),
    { numRuns: 2000 },
  )
})
