import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { type RouterProcess, SMALL_HEAP, startRouterProcess } from './router-process.ts'
import { type Account, chat, createAccount } from './service.ts'

const MEBIBYTE = 1_048_576

/** What the same load, again and again, may add to a router that keeps nothing (ours): less than 12 kB each. */
const MAX_GROWTH_BYTES = 24 * MEBIBYTE

let server: TestServer
let backend: Backend
let router: RouterProcess
let sql: Sql
let account: Account

/** One client after another: a whole answer, a stream read to its end, a stream that is left, a refusal, a failure. */
const visits: readonly (() => Promise<void>)[] = [
  async () => void (await (await chat(router, account.apiKey, {})).text()),
  async () => void (await (await chat(router, account.apiKey, { stream: true })).text()),
  async () => {
    const left = new AbortController()
    const messages = [{ role: 'user', content: 'Hello [script:long]' }]
    const init = { signal: left.signal }
    const response = await chat(router, account.apiKey, { stream: true, messages }, init)
    await response.body!.getReader().read()
    left.abort()
  },
  async () => void (await (await chat(router, account.apiKey, { model: 'absent' })).text()),
  async () => {
    const messages = [{ role: 'user', content: 'Hello [script:busy]' }]
    await (await chat(router, account.apiKey, { messages })).text()
  },
]

async function round(requests: number, clients: number): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < requests) await visits[next++ % visits.length]!()
    }),
  )
}

const GAUGES = [
  'router_generations_running',
  'router_holds_open',
  'router_settlements_waiting',
  'router_backends_running',
]

/** Waits until nothing is under way, and tells what the router then occupies. */
async function idle(): Promise<{ bytes: number; sockets: number }> {
  await vi.waitFor(
    async () => {
      const samples = await readMetrics(router.adminUrl)
      for (const gauge of GAUGES) expect(valueIn(samples, gauge), gauge).toBe(0)
      expect(valueIn(samples, 'http_server_active_requests')).toBe(0)
      expect(backend.connections().inFlight).toBe(0)
    },
    { timeout: 120_000, interval: 50 },
  )
  const bytes = valueIn(await readMetrics(router.adminUrl), 'process_memory_usage')!
  return { bytes, sockets: backend.connections().open }
}

/** How often a load is repeated after the rounds that grow the heap to its working size. */
export interface SoakOptions {
  /** Rounds of 500 requests of every fate. */
  readonly rounds: number
  /** Waves of 500 clients that leave. */
  readonly waves: number
  readonly limitMs: number
}

/** Defines the tests of a router that keeps nothing (M-09, M-19, L-05, T-05), on one router under load. */
export function defineSoak({ rounds, waves, limitMs }: SoakOptions): void {
  beforeAll(async () => {
    server = await startTestServer()
    const { url, sql: pool } = await server.open()
    sql = pool
    account = await createAccount(sql, 500_000_000n)
    backend = await createBackend({ paceMs: 1 })
    router = await startRouterProcess(url, backend.url, { nodeOptions: SMALL_HEAP })
  })

  afterAll(async () => {
    await router.kill()
    await backend.close()
    await server.stop()
  })

  test(
    'after thousands of answers, aborts and failures a router occupies what it did before',
    async () => {
      for (let warm = 0; warm < 3; warm++) await round(500, 20)
      const before = await idle()
      for (let done = 0; done < rounds; done++) await round(500, 20)
      const after = await idle()
      expect(after.bytes - before.bytes).toBeLessThan(MAX_GROWTH_BYTES)
      expect(after.sockets).toBeLessThanOrEqual(20)
      expect(await verifyLedger(sql)).toMatchObject({ open_holds: 0, differences: [] })
    },
    limitMs,
  )

  test(
    '500 clients that leave at once leave neither sockets nor holds nor memory behind',
    async () => {
      const leave = () => Promise.all(Array.from({ length: 500 }, () => visits[2]!()))
      for (let warm = 0; warm < 3; warm++) await leave()
      const before = await idle()
      for (let done = 0; done < waves; done++) await leave()
      const after = await idle()
      expect(after.sockets).toBeLessThanOrEqual(before.sockets + 5)
      expect(after.bytes - before.bytes).toBeLessThan(MAX_GROWTH_BYTES)
      expect(await verifyLedger(sql)).toMatchObject({ open_holds: 0, differences: [] })
    },
    limitMs,
  )
}
