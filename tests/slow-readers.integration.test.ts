import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import {
  openStream,
  type Script,
  type ScriptedBackend,
  startBackend,
  textEvent,
} from '../server/relay/testing/backend.ts'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { type RouterProcess, SMALL_HEAP, startRouterProcess } from './router-process.ts'
import { type Account, createAccount } from './service.ts'

const MEBIBYTE = 1_048_576
const READERS = 12

/**
 * What a backend would send to each, if it were let. Far more than the kernel keeps for one reader: a socket's buffers
 * grow up to `tcp_rmem` and `tcp_wmem` (32 MiB and more on some machines), and there are two sockets on the way.
 */
const FLOOD_BYTES = 512 * MEBIBYTE

/** What a router may grow by for all of them together (ours): a sixty-fourth of what would fill it. */
const MAX_GROWTH_BYTES = (READERS * FLOOD_BYTES) / 64

/** How long a client may read nothing; in the contract it is a minute. */
const STALLED_MS = 3_000

let server: TestServer
let backend: ScriptedBackend
let router: RouterProcess
let sql: Sql
let account: Account
let sentBytes = 0

const flood: Script = (response) => {
  const event = Buffer.from(textEvent('x'.repeat(32_768)))
  let left = FLOOD_BYTES
  const pour = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= event.length
      sentBytes += event.length
      if (!response.write(event)) return
    }
  }
  openStream(response)
  response.on('drain', pour)
  pour()
}

beforeAll(async () => {
  server = await startTestServer()
  const { url, sql: pool } = await server.open()
  sql = pool
  account = await createAccount(sql, 500_000_000n)
  backend = await startBackend(flood)
  router = await startRouterProcess(url, backend.url, {
    stalledClientMs: STALLED_MS,
    nodeOptions: SMALL_HEAP,
  })
})

afterAll(async () => {
  await router.kill()
  await backend.close()
  await server.stop()
})

/** Begins a stream and reads nothing of it. */
function beginWithoutReading(): Socket {
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
  const socket = connect({ port: Number(port), host: hostname }).pause()
  socket.on('error', () => {})
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  return socket
}

const sample = async (name: string) => valueIn(await readMetrics(router.adminUrl), name)!

test('clients that read nothing slow their backends down, leave a router’s memory bounded, and are dropped as aborted', async () => {
  const before = await sample('process_memory_usage')
  const sockets = Array.from({ length: READERS }, beginWithoutReading)
  await vi.waitFor(async () => expect(await sample('router_generations_running')).toBe(READERS), 5_000)
  let most = 0
  await vi.waitUntil(
    async () => {
      most = Math.max(most, await sample('process_memory_usage'))
      return (await sample('router_generations_running')) === 0
    },
    { timeout: 120_000, interval: 50 },
  )
  expect(most - before).toBeLessThan(MAX_GROWTH_BYTES)
  expect(sentBytes).toBeLessThan((READERS * FLOOD_BYTES) / 4)
  await vi.waitFor(() => expect(backend.sockets.size).toBe(0), 5_000)

  for (const socket of sockets) socket.destroy()
  const records = await sql<{ status: string }[]>`select status from generations`
  expect(records.map(({ status }) => status)).toEqual(Array(READERS).fill('aborted'))
  expect(await verifyLedger(sql)).toMatchObject({ open_holds: 0, differences: [] })
})

/** More answers than the kernel keeps for one reader, of less than a kilobyte each. */
const AHEAD = 30_000

test('so are those that read nothing of lists and of refusals', async () => {
  const { hostname, port } = new URL(router.baseUrl)
  const ahead = (line: string, body = '') => {
    const request = `${line} HTTP/1.1\r\nHost: router\r\nAuthorization: Bearer ${account.apiKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const socket = connect({ port: Number(port), host: hostname }).pause()
    socket.on('error', () => {})
    socket.write(request.repeat(AHEAD))
    return socket
  }
  const sockets = [ahead('GET /v1/models'), ahead('POST /v1/chat/completions', '[]')]
  await vi.waitFor(async () => expect(await sample('router_connections_open')).toBe(sockets.length), 5_000)
  await vi.waitUntil(async () => (await sample('router_connections_open')) === 0, {
    timeout: 120_000,
    interval: 200,
  })
  for (const socket of sockets) socket.destroy()
})
