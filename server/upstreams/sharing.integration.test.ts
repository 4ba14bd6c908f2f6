import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { AttestationError, digestOf, type HardwareCondition } from '#attestation'
import type { HardwareOutput } from '#contract/models'
import { createIdentity } from '../../egress/testing/identity.ts'
import { silent } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import {
  addUpstream,
  askAttestation,
  disableUpstream,
  enableUpstream,
  listUpstreams,
  setPins,
} from './administration.ts'
import { createArchive } from './archive.ts'
import { appendEvent, listEvents } from './events.ts'
import type { Registration } from './registration.ts'
import { recordAdmission, recordDenial } from './sharing.ts'
import { createUpstreams } from './upstreams.ts'

const { pem: roots } = createIdentity()
const digest = digestOf('snapshot')
const bundle = { digest, issuedAt: new Date('2030-01-01T00:00:00Z'), bytes: Buffer.from('{"a": 1}\n') }
const forged = new AttestationError('cert-chain', 'signature_invalid')
const name = 'vendor'

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  ;({ sql } = await server.open())
})

beforeEach(() => sql`truncate upstream_bundles, upstreams`)

afterAll(() => server.stop())

// Nothing listens there.
function register(
  hostname = 'vendor.localhost',
  url = 'https://127.0.0.1:9/v1',
  attested?: readonly HardwareCondition[],
): Promise<Registration> {
  const place = { url, hostname, roots, requireLeafName: true, attested }
  const upstream = { name, ...place, pins: [digest], apiKey: undefined }
  const options = { secret: () => Buffer.from('secret'), replace: true }
  return addUpstream(sql, upstream, options) as Promise<Registration>
}

async function current(): Promise<Registration> {
  return (await listUpstreams(sql))[0]!
}

test('what is demanded of hardware stands with the registration and its roots; what was seen, with the event', async () => {
  const measured = 'ab'.repeat(48)
  const guest = { tee: 'tdx', mrtd: measured, rtmr1: measured, rtmr2: measured } as const
  await register(undefined, undefined, [guest])
  const { attested, roots: trusted } = await current()
  expect([attested, ...trusted.map((root) => root.attested)]).toEqual([[guest], [guest]])
  const hardware: HardwareOutput = {
    format: 'intel-tdx-quote-v4',
    product: 'TDX',
    tcb: { status: 'UpToDate', parts: null, advisories: [] },
    measurements: { mrtd: measured },
    vmpl: null,
    endorsement: 'pck',
    endorsed_until: '2031-01-01T00:00:00.000Z',
    collateral_until: '2026-07-01T00:00:00.000Z',
    chip_id_hash: digestOf('machine'),
  }
  await appendEvent(sql, { upstream: name, event: 'admitted', hardware })
  expect((await listEvents(sql, { upstream: name, limit: 1 }))[0]).toMatchObject({ hardware })
  await register()
  expect((await current()).attested).toBeUndefined()
  expect((await listEvents(sql, { upstream: name, limit: 1 }))[0]).toMatchObject({ hardware: null })
})

test('a denial is shared though another pin was withdrawn since, and not once a check was asked for', async () => {
  const judged = await register()
  await setPins(sql, name, { add: [], remove: [digestOf('another')] })
  expect(await recordDenial(sql, judged, forged)).toBe(true)
  expect((await current()).standing.denial).toMatchObject({ reason: 'signature_invalid' })
  await askAttestation(sql, name)
  expect(await recordDenial(sql, judged, forged)).toBe(false)
  expect((await current()).standing.denial).toBeUndefined()
})

test('a check that a denial or an administrator overtook admits nobody and files nothing', async () => {
  const judged = await register()
  await recordDenial(sql, judged, forged)
  expect(await recordAdmission(sql, judged, bundle)).toBe('outdated')
  expect(await recordAdmission(sql, await current(), bundle)).toBe('outdated')
  await askAttestation(sql, name)
  await disableUpstream(sql, name)
  expect(await recordAdmission(sql, await current(), bundle)).toBe('outdated')
  expect(await createArchive(sql)(name)).toEqual({ bytes: undefined })
  await enableUpstream(sql, name)
  expect(await recordAdmission(sql, await current(), bundle)).toBe('recorded')
  expect(await createArchive(sql)(name)).toEqual({ bytes: bundle.bytes })
})

test('registered anew, its last admitted bundle is still relayed unless it is for another hostname', async () => {
  await recordAdmission(sql, await register(), bundle)
  await register()
  expect(await createArchive(sql)(name)).toEqual({ bytes: bundle.bytes })
  expect((await current()).newestIssuedAt).toEqual(bundle.issuedAt)
  // Another path of the same address, and then another address, which signs in its own time.
  await register('vendor.localhost', 'https://127.0.0.1:9/other/v1')
  expect((await current()).newestIssuedAt).toEqual(bundle.issuedAt)
  await register('vendor.localhost', 'https://127.0.0.1:19/v1')
  expect(await current()).toMatchObject({ admitted: { digest }, newestIssuedAt: undefined })
  await register('other.localhost')
  expect(await createArchive(sql)(name)).toEqual({ bytes: undefined })
  expect(await current()).toMatchObject({ admitted: undefined, newestIssuedAt: undefined })
})

test('what administrators say is heard though this router’s own events cannot be written', async () => {
  await register()
  const upstreams = createUpstreams({
    sql,
    replica: 'rep_1',
    secret: () => Buffer.from('secret'),
    log: silent,
  })
  await upstreams.start()
  try {
    await sql`alter table upstream_events rename to upstream_events_away`
    await sql`update upstreams set is_disabled = true, revision = revision + 1`
    await vi.waitFor(() => expect(upstreams.find(name)?.endpoint.verdict.state).toBe('disabled'), 5_000)
  } finally {
    await sql`alter table upstream_events_away rename to upstream_events`
    await upstreams.stop()
  }
})

test('a row that somebody keeps locked takes no connection of the router’s for good', async () => {
  const registration = await register()
  await sql.begin(async (transaction) => {
    await transaction`select from upstreams for update`
    const both = [recordDenial(sql, registration, forged), recordAdmission(sql, registration, bundle)]
    expect(await Promise.allSettled(both)).toMatchObject([
      { reason: { code: '55P03' } },
      { reason: { code: '55P03' } },
    ])
  })
  expect(await recordDenial(sql, registration, forged)).toBe(true)
})
