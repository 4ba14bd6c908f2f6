import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import type { Sql } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'
import { chat, createAccount } from './service.ts'

/** What the contract gives a crash to be settled in. */
const RECOVERY_MS = 30_000

let server: TestServer
let backend: Backend
/** One that a test kills, while the others run at the same time: each takes its while. */
let mortal: TestServer
const routers: RouterProcess[] = []

beforeAll(async () => {
  ;[server, mortal] = await Promise.all([startTestServer(), startTestServer()])
  backend = await createBackend({ paceMs: 1 })
})

afterAll(async () => {
  await Promise.all(routers.map((router) => router.kill()))
  await backend.close()
  await Promise.all([server.stop(), mortal.stop()])
})

async function startRouter(databaseUrl: string): Promise<RouterProcess> {
  const router = await startRouterProcess(databaseUrl, backend.url)
  routers.push(router)
  return router
}

const slow = { stream: true, messages: [{ role: 'user', content: 'Hello [script:long]' }] }

/** Begins streams and waits until each has delivered some text. */
async function beginStreams(baseUrl: string, apiKey: string, count: number): Promise<Promise<string>[]> {
  const begun = await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await chat({ baseUrl }, apiKey, slow)
      expect(response.status).toBe(200)
      const reader = response.body!.getReader()
      const first = await reader.read()
      return { reader, first }
    }),
  )
  return begun.map(async ({ reader, first }) => {
    let text = Buffer.from(first.value!).toString()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return text
        text += Buffer.from(value).toString()
      }
    } catch {
      return `${text}<broken>`
    }
  })
}

async function expectSettled(sql: Sql, generations: number): Promise<void> {
  await vi.waitFor(
    async () =>
      expect(await verifyLedger(sql)).toMatchObject({ open_holds: 0, generations, differences: [] }),
    { timeout: RECOVERY_MS, interval: 250 },
  )
}

test.concurrent('kill -9 of the router mid-stream: within 30 s of its restart everything is settled as aborted', async () => {
  const { url, sql } = await server.open()
  const account = await createAccount(sql, 5_000_000n)
  const router = await startRouter(url)
  const streams = await beginStreams(router.baseUrl, account.apiKey, 5)
  await router.kill()
  for (const text of await Promise.all(streams)) expect(text).not.toContain('[DONE]')
  expect((await verifyLedger(sql)).open_holds).toBe(5)
  await startRouter(url)
  await expectSettled(sql, 5)
  const rows = await sql<
    { status: string; prompt_tokens: bigint }[]
  >`select status, prompt_tokens from generations`
  expect(rows.every(({ status, prompt_tokens: tokens }) => status === 'aborted' && tokens > 0n)).toBe(true)
})

test.concurrent('kill -9 of PostgreSQL mid-stream, back within 5 s: no stream breaks and the books agree', async () => {
  const { url, sql } = await mortal.open()
  const account = await createAccount(sql, 5_000_000n)
  const router = await startRouter(url)
  const streams = await beginStreams(router.baseUrl, account.apiKey, 10)
  process.kill(mortal.embedded.pid()!, 'SIGKILL')
  await vi.waitUntil(() => mortal.embedded.pid() === undefined, { timeout: 5_000 })
  await mortal.embedded.ensureRunning()
  const during = chat({ baseUrl: router.baseUrl }, account.apiKey, {})
  for (const text of await Promise.all(streams)) {
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(text).not.toContain('"error"')
  }
  expect((await during).status).toBe(200)
  await expectSettled(sql, 11)
  const rows = await sql<{ status: string }[]>`select distinct status from generations`
  expect(rows).toEqual([{ status: 'ok' }])
  expect(await router.stop()).toBe(0)
})

test.concurrent('SIGTERM lets a short answer end and ends a long one with an error event, metered', async () => {
  const { url, sql } = await server.open()
  const account = await createAccount(sql, 5_000_000n)
  const router = await startRouter(url)
  const [long] = await beginStreams(router.baseUrl, account.apiKey, 1)
  const code = router.stop()
  const text = await long!
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(text).toContain('"code":"internal"')
  expect(await code).toBe(0)
  await expectSettled(sql, 1)
})
