import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'
import { type Account, createAccount } from './service.ts'

/** As many as two cores have to carry (T-06). */
const STREAMS = 5_000

/** Streams that are begun at a time, so that no listener's queue overflows. */
const BURST = 100

let server: TestServer
let backend: Backend
let router: RouterProcess
let sql: Sql
let account: Account

beforeAll(async () => {
  server = await startTestServer()
  const { url, sql: pool } = await server.open()
  sql = pool
  account = await createAccount(sql, 500_000_000n)
  backend = await createBackend()
  await backend.play({ rules: [{ chunks: ['first', ' last'], betweenChunksMs: 600_000 }, {}] })
  router = await startRouterProcess(url, backend.url)
})

afterAll(async () => {
  await router.kill()
  await backend.close()
  await server.stop()
})

/** A client with nothing but a socket: thousands of them fit into one test. */
function begin(): Promise<Socket> {
  const { hostname, port } = new URL(router.baseUrl)
  const messages = [{ role: 'user', content: 'Hello' }]
  const body = JSON.stringify({ model: 'demo/tiny-chat', messages, stream: true, max_tokens: 10 })
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'Host: router',
    `Authorization: Bearer ${account.apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (text.includes('"first"')) resolve(socket)
    })
    socket.on('error', reject).on('close', () => reject(new Error(`closed after: ${text}`)))
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

test('5,000 streams are open at once, a new request is served beside them, and all of them end', async () => {
  const sockets: Socket[] = []
  const begunMs = performance.now()
  while (sockets.length < STREAMS) {
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(BURST, STREAMS - sockets.length) }, begin))),
    )
  }
  // What a hundred took to begin tells how busy this machine is.
  const burstMs = ((performance.now() - begunMs) * BURST) / STREAMS
  const open = await readMetrics(router.adminUrl)
  expect(valueIn(open, 'router_generations_running')).toBe(STREAMS)
  expect(valueIn(open, 'router_holds_open')).toBe(STREAMS)

  const begun = performance.now()
  const headers = { authorization: `Bearer ${account.apiKey}` }
  expect((await fetch(`${router.baseUrl}/models`, { headers })).status).toBe(200)
  const another = await begin()
  expect(performance.now() - begun).toBeLessThan(Math.max(2_000, 2 * burstMs))

  for (const socket of [...sockets, another]) socket.destroy()
  const settled = { timeout: 60_000, interval: 100 }
  await vi.waitFor(async () => {
    const idle = await readMetrics(router.adminUrl)
    expect(valueIn(idle, 'router_generations_running')).toBe(0)
    expect(valueIn(idle, 'router_holds_open')).toBe(0)
    expect(valueIn(idle, 'http_server_active_requests')).toBe(0)
  }, settled)
  expect(await verifyLedger(sql)).toMatchObject({
    generations: STREAMS + 1,
    open_holds: 0,
    differences: [],
  })
  await vi.waitFor(() => expect(backend.connections().open).toBeLessThan(10), settled)
})
