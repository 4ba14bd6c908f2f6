import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import type { Sql } from '../server/store/connection.ts'
import { processesIn } from '../server/store/embedded/process.ts'
import { stallCommits, startTestServer, type TestServer } from '../server/store/testing.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'
import { type Account, chat, createAccount } from './service.ts'

/** What the contract gives a crash to be settled in. */
const RECOVERY_MS = 30_000

/** Of a backend: the database is stopped between what was admitted and what is to be settled. */
const ANSWER_MS = 4_000

/** The demo's prices, times a million. */
const PRICES = { prompt: 150_000n, completion: 600_000n }

const servers: TestServer[] = []
const routers: RouterProcess[] = []
let backend: Backend

beforeAll(async () => {
  backend = await createBackend()
  const slow = { name: 'slow', beforeHeadersMs: ANSWER_MS }
  await backend.play({ rules: [slow] })
  servers.push(...(await Promise.all(Array.from({ length: 3 }, () => startTestServer()))))
})

afterAll(async () => {
  await Promise.all(routers.map((router) => router.kill()))
  await backend.close()
  await Promise.all(servers.map((server) => server.stop()))
})

async function startRouter(databaseUrl: string): Promise<RouterProcess> {
  const router = await startRouterProcess(databaseUrl, backend.url)
  routers.push(router)
  return router
}

/** Stops a statement of settlement somewhere; the result lets it go on. */
type Standstill = (database: {
  server: TestServer
  sql: Sql
  account: Account
}) => Promise<() => Promise<void>>

async function lock(sql: Sql, statement: (own: Sql) => Promise<unknown>): Promise<() => Promise<void>> {
  const own = await sql.reserve()
  await own`begin`
  await statement(own)
  return async () => {
    await own`commit`
    own.release()
  }
}

const lockedKey: Standstill = async ({ sql, account }) =>
  await lock(sql, (own) => own`select from api_keys where id = ${account.keyId} for update`)

/** The statement has been read, and then the whole server is stopped: what it was asked is done when it goes on. */
const stoppedServer: Standstill = async ({ server, sql, account }) => {
  const unlock = await lock(
    sql,
    (own) => own`select from workspaces where id = ${account.workspaceId} for update`,
  )
  const isWaiting = async () => expect(await settlements(sql)).toHaveLength(1)
  await vi.waitFor(isWaiting, { timeout: RECOVERY_MS, interval: 5 })
  const processes = processesIn(server.embedded.databaseDir)
  for (const pid of processes) process.kill(pid, 'SIGSTOP')
  return async () => {
    for (const pid of processes) process.kill(pid, 'SIGCONT')
    await unlock()
  }
}

/** Statements of settlement that are under way. */
async function settlements(sql: Sql): Promise<readonly unknown[]> {
  return await sql`select from pg_stat_activity
    where state <> 'idle' and query like '%settle_generations%' and pid <> pg_backend_pid()`
}

interface Seen {
  readonly generationId: string
  /** Whether the answer came to a clean end. */
  readonly isClean: boolean
}

async function ask(router: RouterProcess, { apiKey }: Account, stream: boolean): Promise<Seen> {
  const messages = [{ role: 'user', content: 'Hello [script:slow]' }]
  const response = await chat(router, apiKey, { stream, messages })
  const text = await response.text()
  return {
    generationId: response.headers.get('x-router-generation-id')!,
    isClean: response.status === 200 && !text.includes('"error"') && text.length > 0,
  }
}

/** Has two answers meet a database that stands still, and kills their router once both clients were told of an error. */
async function killWhileSettling(server: TestServer, standstill: Standstill) {
  const { url, sql } = await server.open()
  const account = await createAccount(sql, 5_000_000n)
  const router = await startRouter(url)
  const asked = Promise.all([ask(router, account, true), ask(router, account, false)])
  const areHeld = async () => expect((await verifyLedger(sql)).open_holds).toBe(2)
  await vi.waitFor(areHeld, { timeout: RECOVERY_MS, interval: 20 })
  const goOn = await standstill({ server, sql, account })
  const seen = await asked
  await router.kill()
  await goOn()
  const areOver = async () => expect(await settlements(sql)).toHaveLength(0)
  await vi.waitFor(areOver, { timeout: RECOVERY_MS, interval: 50 })
  return { url, sql, account, seen }
}

test.concurrent.each([
  ['before its first look', 0, stoppedServer],
  ['in the midst of its writes', 1, lockedKey],
] as const)(
  'a router that is killed after it gave up a settlement that stands still %s: no record says “ok” of what was withheld',
  async (_, server, standstill) => {
    const { url, sql, seen } = await killWhileSettling(servers[server]!, standstill)
    expect(seen.map(({ isClean }) => isClean)).toEqual([false, false])
    expect(await sql`select from generations where status = 'ok'`).toHaveLength(0)
    await startRouter(url)
    const recovered = async () =>
      expect(await verifyLedger(sql)).toMatchObject({ open_holds: 0, generations: 2, differences: [] })
    await vi.waitFor(recovered, { timeout: 2 * RECOVERY_MS, interval: 250 })
    const records = await sql<{ id: string; status: string; completion_tokens: bigint }[]>`
      select id, status, completion_tokens from generation_records`
    expect(records.map(({ status }) => status)).toEqual(['aborted', 'aborted'])
    const whole = records.find(({ id }) => id === seen[1]!.generationId)
    expect(whole?.completion_tokens).toBe(0n)
  },
  180_000,
)

test.concurrent('where it stands still at its commit the record may say “ok” (a known gap), once, for no more than was generated', async () => {
  const { sql, account } = await killWhileSettling(servers[2]!, ({ server }) => stallCommits(server))
  // What waited behind the one statement was never sent, and is left to be reaped.
  const { differences, open_holds, generations } = await verifyLedger(sql)
  expect({ differences, accepted: open_holds + generations }).toEqual({ differences: [], accepted: 2 })
  const records = await sql<{ prompt_tokens: bigint; completion_tokens: bigint; cost_micros: bigint }[]>`
      select prompt_tokens, completion_tokens, cost_micros from generation_records`
  expect(records.length).toBeGreaterThan(0)
  let paid = 0n
  for (const { prompt_tokens: prompt, completion_tokens: completion, cost_micros: cost } of records) {
    const micros = prompt * PRICES.prompt + completion * PRICES.completion
    expect(cost).toBe((micros + 999_999n) / 1_000_000n)
    paid += cost
  }
  const [workspace] = await sql`select balance_micros from workspaces where id = ${account.workspaceId}`
  expect(workspace!.balance_micros).toBe(5_000_000n - paid)
})
