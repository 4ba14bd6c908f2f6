import { afterAll, beforeAll, expect, test } from 'vitest'
import { listBundles, saveBundle } from './publications.ts'
import { startTestServer, type TestServer } from './testing.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

test('of each endpoint one bundle is kept, the one that was issued last', async () => {
  const { sql } = await server.open()
  const save = (endpoint: string, issuedAt: string) =>
    saveBundle(sql, { endpoint, bytes: Buffer.from(issuedAt), issuedAt: new Date(issuedAt) })
  for (const minute of ['00:00', '00:02', '00:01']) await save('demo', `2026-01-01T${minute}:00Z`)
  await save('other', '2026-01-01T00:00:00Z')
  const kept = (await listBundles(sql)).map(({ endpoint, bytes }) => [endpoint, bytes.toString()])
  expect(kept.toSorted()).toEqual([
    ['demo', '2026-01-01T00:02:00Z'],
    ['other', '2026-01-01T00:00:00Z'],
  ])
})
