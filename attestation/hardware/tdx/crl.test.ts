import { expect, test } from 'vitest'
import { parseCertificate } from '../../certificate.ts'
import { flip, reasonOf, refusalOf, withCollateral } from '../testing/judging.ts'
import * as lists from '../testing/lists.ts'
import { tdxSamples } from '../testing/real.ts'
import { isNotRevoked, parseRevocations } from './crl.ts'

const [[, sample, now], [, newer, later]] = tdxSamples
const { root_ca_crl: ofRoot = '', pck_crl: ofMachines = '' } = sample.collateral
const damaged = (hex: string) => flip(Buffer.from(hex, 'hex'), hex.length / 2 - 5).toString('hex')

test.each([
  ['empty', '', 'collateral_invalid'],
  ['a zero', '00', 'collateral_invalid'],
  ['garbage', 'c0ffee'.repeat(99), 'collateral_invalid'],
  ['no hex', 'no hex', 'collateral_invalid'],
  ['in capitals', ofRoot.toUpperCase(), 'collateral_invalid'],
  ['damaged', damaged(ofRoot), 'collateral_invalid'],
  ['that of another authority', ofMachines, 'collateral_invalid'],
  ['with a byte behind it', `${ofRoot}00`, 'collateral_invalid'],
])("a root's list that is %s is refused", (_, list, reason) => {
  expect(refusalOf(withCollateral(sample, { root_ca_crl: list }), now)).toBe(reason)
})

test.each([
  ['empty', '', 'collateral_invalid'],
  ['a zero', '00', 'collateral_invalid'],
  ['garbage', 'c0ffee'.repeat(99), 'collateral_invalid'],
  ['damaged', damaged(ofMachines), 'collateral_invalid'],
  ["the root's", ofRoot, 'collateral_invalid'],
])('a list of machines that is %s is refused', (_, list, reason) => {
  expect(refusalOf(withCollateral(sample, { pck_crl: list }), now)).toBe(reason)
})

test.each([
  ['a root', { root_ca_crl: ofRoot }],
  ['machines', { pck_crl: ofMachines }],
])('a list of %s that has expired is refused', (_, change) => {
  expect(refusalOf(newer, later)).toBeUndefined()
  expect(refusalOf(withCollateral(newer, change), later)).toBe('collateral_expired')
})

const authority = lists.makeAuthority('Authority')
const issuer = parseCertificate(authority.der)
const since = new Date('2026-06-01T00:00:00Z')
const until = new Date('2026-07-01T00:00:00Z')
const good = { issuer: 'Authority', keys: authority.keys, since, until }
const ofAnother = lists.makeAuthority('Authority').keys
const read = (request: lists.ListRequest, time = since) =>
  parseRevocations(lists.issueList(request), issuer, time)

test('a list names what is revoked, and until when it says so', () => {
  const entries = [
    lists.entryOf(7, since),
    lists.entryOf(200, since, [lists.extensionOf('2.5.29.21', false)]),
  ]
  const extensions = [lists.extensionOf('2.5.29.20', false)]
  const list = read({ ...good, entries, extensions })
  expect(list).toEqual({ until, serialNumbers: new Set(['07', '00c8']) })
  const revoked = { ...issuer, serialNumber: Buffer.from([0, 200]) }
  expect(reasonOf(() => isNotRevoked(revoked, list))).toBe('endorsement_revoked')
  expect(reasonOf(() => isNotRevoked(issuer, list))).toBeUndefined()
})

test('a list may revoke nothing, and end after 2049', () => {
  const far = new Date('2055-01-01T00:00:00Z')
  expect(read({ ...good, until: far })).toEqual({ until: far, serialNumbers: new Set() })
})

test('a list of up to 128 KiB is read', () => {
  const listing = (count: number) => ({
    ...good,
    entries: Array.from({ length: count }, () => lists.entryOf(7, since)),
  })
  const { length } = lists.entryOf(7, since)
  const most = Math.floor((131_072 - 200) / length)
  expect(reasonOf(() => read(listing(most)))).toBeUndefined()
  expect(reasonOf(() => read(listing(most + 20)))).toBe('collateral_invalid')
})

test.each<readonly [string, Partial<lists.ListRequest>]>([
  ['of another name', { issuer: 'Another' }],
  ['signed by another of this name', { keys: ofAnother }],
  ['without an end', { until: undefined } as object],
  ['of version 1', { version: 0 }],
  ['that names another algorithm within', { inner: lists.ECDSA_SHA384 }],
  ['that names another algorithm beside its signature', { outer: lists.ECDSA_SHA384 }],
  ['that names another algorithm twice', { inner: lists.ECDSA_SHA384, outer: lists.ECDSA_SHA384 }],
  ['with a critical extension', { extensions: [lists.extensionOf('2.5.29.28', true)] }],
  [
    'with an entry that has one',
    { entries: [lists.entryOf(7, since, [lists.extensionOf('2.5.29.29', true)])] },
  ],
])('a list %s is refused', (_, change) => {
  expect(reasonOf(() => read({ ...good, ...change }))).toBe('collateral_invalid')
})

test.each([
  ['before its first moment', new Date(Number(since) - 1), 'collateral_expired'],
  ['in its first', since, undefined],
  ['in its last', until, undefined],
  ['behind it', new Date(Number(until) + 1), 'collateral_expired'],
])('a list is judged by the time: %s', (_, time, reason) => {
  expect(reasonOf(() => read(good, time))).toBe(reason)
})
