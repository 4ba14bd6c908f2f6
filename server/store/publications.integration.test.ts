import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBundle, listBundles, listDeployments, saveBundle } from './publications.ts'
import { startTestServer, type TestServer } from './testing.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

test('of each endpoint one bundle is kept, the one that was issued last', async () => {
  const { sql } = await server.open()
  const save = (endpoint: string, issuedAt: string) =>
    saveBundle(sql, {
      endpoint,
      digest: 'sha256/a',
      bytes: Buffer.from(issuedAt),
      issuedAt: new Date(issuedAt),
    })
  for (const minute of ['00:00', '00:02', '00:01']) await save('demo', `2026-01-01T${minute}:00Z`)
  await save('other', '2026-01-01T00:00:00Z')
  const kept = (await listBundles(sql)).map(({ endpoint, bytes }) => [endpoint, bytes.toString()])
  expect(kept.toSorted()).toEqual([
    ['demo', '2026-01-01T00:02:00Z'],
    ['other', '2026-01-01T00:00:00Z'],
  ])
})

test('of each deployment the newest bundle is kept, and when it was seen first', async () => {
  const { sql } = await server.open()
  const save = (endpoint: string, digest: string, issuedAt: string) =>
    saveBundle(sql, { endpoint, digest, bytes: Buffer.from(issuedAt), issuedAt: new Date(issuedAt) })
  const [first, second, third] = [1, 2, 3].map((day) => `2026-01-0${day}T00:00:00.000Z`) as [
    string,
    string,
    string,
  ]
  await save('demo', 'sha256/a', first)
  const [seen] = await listDeployments(sql, 10)
  await save('demo', 'sha256/b', second)
  await save('demo', 'sha256/a', third)
  await save('demo', 'sha256/a', second)
  expect(await listDeployments(sql, 10)).toEqual([
    { endpoint: 'demo', digest: 'sha256/a', issuedAt: new Date(third), firstSeenAt: seen!.firstSeenAt },
    expect.objectContaining({ digest: 'sha256/b', issuedAt: new Date(second) }),
  ])
  expect((await listDeployments(sql, 1)).map(({ digest }) => digest)).toEqual(['sha256/a'])
  expect((await findBundle(sql, 'demo', 'sha256/a'))?.toString()).toBe(third)
  expect(await findBundle(sql, 'other', 'sha256/a')).toBeUndefined()
})
