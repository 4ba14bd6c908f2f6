import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'
import { type Account, createAccount } from './service.ts'

const MIB = 1_048_576

/** What is promised: so much more than before at most, a minute after. */
const MOST = 1.5
const MINUTE_MS = 60_000

let server: TestServer
let backend: Backend
let router: RouterProcess
let sql: Sql
let account: Account

beforeAll(async () => {
  backend = await createBackend()
  server = await startTestServer()
  const opened = await server.open()
  sql = opened.sql
  router = await startRouterProcess(opened.url, backend.url)
  account = await createAccount(sql, 1_000_000_000n)
})

afterAll(async () => {
  await router.stop()
  await backend.close()
  await server.stop()
})

async function send(body: string): Promise<number> {
  const response = await fetch(`${router.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}` },
    body,
  })
  await response.arrayBuffer()
  return response.status
}

async function residentBytes(): Promise<number> {
  return valueIn(await readMetrics(router.adminUrl), 'process_memory_usage')!
}

const hello = { model: 'demo/tiny-chat', messages: [{ role: 'user', content: 'Hello' }] }
const names = Array.from({ length: 900_000 }, (_, index) => `"a${index}":0`).join(',')

/** Bodies of every size and shape, good and bad. */
const bodies: readonly (readonly [string, number])[] = [
  [JSON.stringify({ ...hello, padding: 'x'.repeat(30 * MIB) }), 200],
  [JSON.stringify({ ...hello, padding: 'x'.repeat(3 * MIB) }), 200],
  [`{"model":"demo/tiny-chat","n":2,"messages":[{${names}}]}`, 400],
  [`{"model":"demo/tiny-chat","n":2,"messages":[${'{"content":"größe"},'.repeat(300_000)}1]}`, 400],
  [`{${names}}`, 413],
]

test(
  'a minute after a hundred large bodies the router occupies little more than before',
  async () => {
    // So many that V8 has gone through all of its space for the young, which is a constant (`bin/launch.sh`).
    for (let count = 0; count < 3_000; count++) await send(JSON.stringify(hello))
    const before = await residentBytes()
    let most = before
    for (let round = 0; round < 20; round++) {
      const statuses = await Promise.all(bodies.map(([body]) => send(body)))
      // What does not fit beside the others is told so, and is no failure here.
      expect(statuses.every((status, index) => status === bodies[index]![1] || status === 503)).toBe(true)
      most = Math.max(most, await residentBytes())
    }
    await vi.waitFor(async () => expect(await residentBytes()).toBeLessThan(MOST * before), {
      timeout: MINUTE_MS,
      interval: 1_000,
    })
    // Otherwise there would have been nothing to give back.
    expect(most).toBeGreaterThan(before)
  },
  10 * MINUTE_MS,
)
