import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Backend, createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { startRedis, type TestRedis } from '../server/limits/testing.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import type { Sql } from '../server/store/connection.ts'
import { createKey, revokeKey } from '../server/store/keys.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { readMetrics, valueIn } from './metrics.ts'
import { type RouterProcess, startRouterProcess } from './router-process.ts'
import { type Account, balanceOf, chat, createAccount } from './service.ts'

/** What the contract gives a crash to be settled in. */
const RECOVERY_MS = 30_000

let server: TestServer
let redis: TestRedis
let backend: Backend
let url: string
let sql: Sql
let routers: RouterProcess[]

const start = () => startRouterProcess(url, backend.url, { redisUrl: redis.url })

beforeAll(async () => {
  server = await startTestServer()
  redis = await startRedis()
  backend = await createBackend({ paceMs: 1 })
})

beforeEach(async () => {
  ;({ url, sql } = await server.open())
  routers = await Promise.all([start(), start(), start()])
})

afterEach(async () => {
  await Promise.all(routers.map((router) => router.kill()))
})

afterAll(async () => {
  await backend.close()
  await redis.stop()
  await server.stop()
})

/** What one request came to; status 0 when its connection was lost. */
interface Answer {
  readonly status: number
  readonly generationId: string | null
  /** Whether its proper end was seen. */
  readonly isWhole: boolean
}

async function ask(router: RouterProcess, apiKey: string, stream: boolean): Promise<Answer> {
  let status = 0
  let generationId: string | null = null
  try {
    const response = await chat(router, apiKey, { stream })
    status = response.status
    generationId = response.headers.get('x-router-generation-id')
    const text = await response.text()
    const isWhole = stream ? text.endsWith('data: [DONE]\n\n') && !text.includes('"error"') : true
    return { status, generationId, isWhole: isWhole && status === 200 }
  } catch {
    return { status, generationId, isWhole: false }
  }
}

/** That many at once, spread evenly over all routers. */
function askAll(apiKeys: readonly string[], count: number): Promise<Answer[]> {
  const requests = Array.from({ length: count }, (_, index) =>
    ask(routers[index % routers.length]!, apiKeys[index % apiKeys.length]!, index % 2 === 0),
  )
  return Promise.all(requests)
}

/** The bound and the equalities that hold whatever has happened. */
async function expectSound({ workspaceId }: Account, served: number): Promise<void> {
  expect(await verifyLedger(sql)).toMatchObject({ generations: served, open_holds: 0, differences: [] })
  const [row] = await sql<{ most: bigint; rows: bigint }[]>`
    select coalesce(max(cost_micros), 0) as most,
      (select count(*) from ledger where workspace_id = ${workspaceId} and kind = 'generation') as rows
    from generations where workspace_id = ${workspaceId}`
  expect(row!.rows).toBe(BigInt(served))
  expect(await balanceOf(sql, workspaceId)).toBeGreaterThanOrEqual(-row!.most)
}

test.each([
  ['one', 1n],
  ['a few at a time', 50_000n],
  ['all', 50_000_000n],
])(
  '600 parallel requests at three routers on a balance for %s keep the overdraft bound and the ledger',
  async (_, balance) => {
    const account = await createAccount(sql, balance)
    const others = await Promise.all(
      [1, 2].map(() => createKey(sql, account.workspaceId, { name: 'another' })),
    )
    const apiKeys = [account.apiKey, ...others.map(({ plaintext }) => plaintext)]
    const answers = await askAll(apiKeys, 600)
    expect(answers.filter(({ status }) => status !== 200 && status !== 402)).toEqual([])
    const served = answers.filter(({ isWhole }) => isWhole).length
    expect(served).toBe(answers.filter(({ status }) => status === 200).length)
    expect(served).toBeGreaterThanOrEqual(1)
    if (balance === 50_000_000n) expect(served).toBe(600)
    await expectSound(account, served)
  },
  60_000,
)

test('three routers keep one rate limit together', async () => {
  const account = await createAccount(sql, 50_000_000n, { requestsPerMinute: 60 })
  const begun = performance.now()
  const answers = await askAll([account.apiKey], 300)
  const refilled = (performance.now() - begun) / 1_000
  const served = answers.filter(({ status }) => status === 200).length
  expect(served).toBeGreaterThanOrEqual(60)
  expect(served).toBeLessThanOrEqual(60 + Math.ceil(refilled))
  expect(answers.filter(({ status }) => status === 429).length).toBe(300 - served)
  await expectSound(account, served)
}, 60_000)

test('a key that is revoked is refused at every router from the next request on', async () => {
  const account = await createAccount(sql, 5_000_000n)
  const statuses = async () => (await askAll([account.apiKey], 3)).map(({ status }) => status)
  expect(await statuses()).toEqual([200, 200, 200])
  await revokeKey(sql, account.keyId)
  expect(await statuses()).toEqual([401, 401, 401])
})

test('kill -9 of routers under load: within 30 s no hold is open, and no generation is unrecorded, lost or doubled', async () => {
  const account = await createAccount(sql, 500_000_000n)
  const answers: Answer[][] = [[], [], []]
  let isOver = false
  const clients = [0, 1, 2].flatMap((index) =>
    Array.from({ length: 15 }, async (_, place) => {
      while (!isOver) {
        const answer = await ask(routers[index]!, account.apiKey, place % 4 !== 0)
        if (answer.status === 0) await sleep(20)
        else answers[index]!.push(answer)
      }
    }),
  )
  const more = async (index: number, count: number) => {
    const before = answers[index]!.length
    await vi.waitUntil(() => answers[index]!.length > before + count, 20_000)
  }
  await Promise.all([more(0, 50), more(1, 50), more(2, 50)])
  // The first one never comes back, the second comes back twice, the third is left alone.
  await routers[0]!.kill()
  for (let round = 0; round < 2; round++) {
    await more(1, 50)
    await routers[1]!.kill()
    routers[1] = await start()
  }
  const killedAt = performance.now()
  await Promise.all([more(1, 50), more(2, 50)])
  isOver = true
  await Promise.all(clients)
  const recovery = { timeout: RECOVERY_MS, interval: 250 }
  await vi.waitFor(async () => expect((await verifyLedger(sql)).open_holds).toBe(0), recovery)
  expect(performance.now() - killedAt).toBeLessThan(RECOVERY_MS)

  const { generations, differences } = await verifyLedger(sql)
  expect(differences).toEqual([])
  for (const answer of answers[2]!) expect(answer).toMatchObject({ status: 200, isWhole: true })
  const records = await sql<{ id: string; status: string }[]>`select id, status from generations`
  expect(records.length).toBe(generations)
  const statusOf = new Map(records.map(({ id, status }) => [id, status]))
  const known = answers.flat().filter(({ generationId }) => generationId !== null)
  expect(known.filter(({ generationId }) => !statusOf.has(generationId!))).toEqual([])
  // Whoever saw the end of an answer finds it recorded as whole; the reverse need not hold for one that was cut.
  expect(known.filter((one) => one.isWhole && statusOf.get(one.generationId!) !== 'ok')).toEqual([])
  expect(new Set(known.map(({ generationId }) => generationId)).size).toBe(known.length)
  const reaped = await Promise.all(
    routers.slice(1).map(async ({ adminUrl }) => {
      const samples = await readMetrics(adminUrl)
      return valueIn(samples, 'router_generations_reaped_total', { cause: 'lease_lapsed' })!
    }),
  )
  expect(Math.max(...reaped)).toBeGreaterThan(0)
}, 120_000)
