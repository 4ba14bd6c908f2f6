import { createHash } from 'node:crypto'
import { get } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseDigest } from '#attestation'
import { askAttestation, disableUpstream, setPins } from '../server/upstreams/administration.ts'
import { HOSTNAME, startWorld, UPSTREAM, type World } from './upstream.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ trustedProxies: ['127.0.0.1'] })
  await world.untilListed(true)
})

afterAll(() => world.stop())

let source = 0

/** Each reading from an address of its own: their budget is another test's. */
function read(name: string = UPSTREAM): Promise<Response> {
  source++
  const headers = { 'x-forwarded-for': `198.51.100.${source % 250}`, origin: 'https://any.example' }
  return fetch(`${world.baseUrl}/evidence/${name}`, { headers })
}

/** The SHA-256 of the platform's own copy. */
function platformCopy(): Promise<string> {
  const options = { servername: HOSTNAME, rejectUnauthorized: false, agent: false }
  return new Promise((resolve, reject) => {
    get(`${world.gateway.gateway.url}/.well-known/platform-evidence`, options, (response) =>
      buffer(response).then((bytes) => resolve(sha256(bytes)), reject),
    ).on('error', reject)
  })
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function relayed(): Promise<string> {
  return sha256(new Uint8Array(await (await read()).arrayBuffer()))
}

test('the relayed bundle is the one that the last verdict rested on, byte for byte (V-14)', async () => {
  await world.gateway.control('/hold')
  const copy = await platformCopy()
  await askAttestation(world.sql, UPSTREAM)
  await vi.waitFor(async () => expect(await relayed()).toBe(copy), 10_000)
  const response = await read()
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('etag')).toBe(`"${copy}"`)
})

test('denied or disabled, the last admitted bundle is still relayed, and what was not admitted never', async () => {
  const copy = await relayed()
  const { digest } = await world.gateway.control('/rotate/deployment')
  await askAttestation(world.sql, UPSTREAM)
  await world.untilListed(false)
  expect(await platformCopy()).not.toBe(copy)
  expect(await relayed()).toBe(copy)
  await disableUpstream(world.sql, UPSTREAM)
  expect(await relayed()).toBe(copy)
  const filed = await world.sql`select 1 from upstream_bundles where digest = ${digest}`
  expect(filed).toHaveLength(0)
})

test('once the new deployment is approved and admitted, its bundle is relayed', async () => {
  await world.register([])
  const copy = await platformCopy()
  const { digest } = await world.gateway.control('/state')
  await setPins(world.sql, UPSTREAM, { add: [parseDigest(digest)], remove: [] })
  await world.untilListed(true)
  await vi.waitFor(async () => expect(await relayed()).toBe(copy), 10_000)
})

test('an upstream that was never admitted is a 503 evidence_not_fetched, an unknown one a 404', async () => {
  await world.sql`truncate upstream_bundles, upstreams`
  const absent = await read()
  expect([absent.status, await absent.json()]).toMatchObject([404, { statusCode: 404 }])
  await world.register([])
  const unadmitted = await read()
  expect([unadmitted.status, await unadmitted.json()]).toMatchObject([
    503,
    { statusCode: 503, reason: 'evidence_not_fetched' },
  ])
  expect(unadmitted.headers.get('cache-control')).toBe('no-store')
})

test('an own endpoint is found before an upstream of the same name', async () => {
  await world.sql`
    insert into upstreams (name, id, url, hostname, roots, admitted_at, admitted_digest)
    select 'demo', 'ups_other', url, hostname, roots, now(), 'sha256/x' from upstreams where name = ${UPSTREAM}`
  await world.sql`
    insert into upstream_bundles (upstream, digest, bytes, issued_at) values ('demo', 'sha256/x', '{}', now())`
  expect((await read('demo')).status).toBe(503) // The own one's platform is away.
})
