import { afterAll, beforeAll, expect, test } from 'vitest'
import { createShelf } from '../publication/shelf.ts'
import type { Sql } from '../store/connection.ts'
import { saveBundle } from '../store/publications.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { listingEndpoints } from './endpoints.ts'

let server: TestServer
let sql: Sql
let bundlesRead = 0

beforeAll(async () => {
  server = await startTestServer()
  const { sql: own } = await server.open()
  sql = new Proxy(own, {
    apply(target, self, given: [TemplateStringsArray]) {
      if (given[0].join('').includes('select bytes from')) bundlesRead++
      return Reflect.apply(target as never, self, given)
    },
  })
})

afterAll(() => server.stop())

const digest = `sha256/${'A'.repeat(43)}`
const vendor = {
  registration: { name: 'vendor', hostname: 'vendor.example', admitted: { digest }, deniedAt: null },
  endpoint: { verdict: { state: 'admitted' } },
} as unknown as Upstream

const file = (issuedAt: string) =>
  saveBundle(sql, {
    endpoint: 'vendor',
    digest,
    bytes: Buffer.from('what an older version took'),
    issuedAt: new Date(issuedAt),
  })

test('a bundle is read once for all who look at the endpoints, and one that nobody can read keeps nobody out', async () => {
  const list = listingEndpoints({
    sql,
    endpoints: () => [],
    catalogue: { models: [] },
    shelf: createShelf(),
    upstreams: { find: () => vendor, all: new Set([vendor]) },
  })
  const ask = async () => (await list({} as never)).body.data
  await file('2026-01-01T00:00:00Z')
  for (let time = 0; time < 3; time++) {
    expect(await ask()).toMatchObject([{ name: 'vendor', evidence_digest: digest, tee: null }])
  }
  expect(bundlesRead).toBe(1)
  await file('2026-01-02T00:00:00Z')
  await ask()
  expect(bundlesRead).toBe(2)
})
