import { expect, test } from 'vitest'
import { parseCertificate } from '../../certificate.ts'
import { oid } from '../../oid.ts'
import { toPem } from '../../testing/certificates.ts'
import { builtInVendors } from '../built-in.ts'
import { reasonOf } from '../testing/judging.ts'
import { turinCertificate } from '../testing/samples.ts'
import { checkEndorsement } from './endorsement.ts'
import type { Report } from './report.ts'

// Nobody has published a report of a Turin: what it has to name is taken from its certificate.
const der = turinCertificate()
const { extensions } = parseCertificate(der)
const said = (number: string) => extensions.get(oid(`1.3.6.1.4.1.3704.1.${number}`))?.value ?? Buffer.alloc(0)
const part = (number: number) => said(`3.${number}`).at(-1) ?? 0
const reported = Buffer.from([part(9), part(1), part(2), part(3), 0, 0, 0, part(8)])
const chipId = Buffer.concat([said('4')], 64)
const report = { product: 'Turin', signingKey: 'vcek', chipId, tcb: { reported } } as unknown as Report

const judge = (change: Partial<Report>, vendors = builtInVendors, now = '2026-06-01') =>
  checkEndorsement({ ...report, ...change }, { vcek: toPem(der) }, new Date(now), vendors)

test("a Turin's certificate leads to its product's authorities", () => {
  expect(said('4')).toHaveLength(8)
  expect(judge({})).toMatchObject({ product: 'Turin' })
  expect(judge({ product: undefined })).toMatchObject({ product: 'Turin' })
})

test.each<readonly [string, Partial<Report>]>([
  ['of another product', { product: 'Genoa' }],
  ['of another chip', { chipId: Buffer.alloc(64, 1) }],
  ['of a chip that is not named', { chipId: undefined }],
  ...[0, 1, 2, 3, 7].map((place) => {
    const tcb = { ...report.tcb, reported: Buffer.from(reported.with(place, 99)) }
    return [`with another TCB at ${place}`, { tcb }] as const
  }),
])('a report %s is not endorsed by it', (_, change) => {
  expect(reasonOf(() => judge(change))).toBe('endorsement_invalid')
})

test('nobody vouches for a product whose authorities are not known', () => {
  const { Turin: _, ...amd } = builtInVendors.amd
  expect(reasonOf(() => judge({}, { ...builtInVendors, amd }))).toBe('endorsement_invalid')
})

test.each(['2024-11-06T21:13:59Z', '2031-11-06T21:14:01Z'])('it is not valid at %s', (now) => {
  expect(reasonOf(() => judge({}, builtInVendors, now))).toBe('endorsement_expired')
})
