// @module-tag pgbouncer

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { createAccount, finished, startMeter } from '../server/metering/testing.ts'
import { verifyLedger } from '../server/metering/verify-ledger.ts'
import { connect, type Sql } from '../server/store/connection.ts'
import { migrate } from '../server/store/migrations.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts'
import { startRouterProcess } from './router-process.ts'
import * as service from './service.ts'

let server: TestServer
let pooler: PgBouncer
let databaseUrl: string
const pools: Sql[] = []

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  databaseUrl = await server.createDatabase()
  pooler = await startPgBouncer(databaseUrl)
})

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end({ timeout: 1 })))
  await pooler.stop()
})

/** A pool as a router behind PgBouncer has it. */
function open(maxConnections = 8): Sql {
  const pool = connect({ url: pooler.url, preparedStatements: false, maxConnections })
  pools.push(pool)
  return pool
}

test('three routers may migrate an empty database at once through a pooler', async () => {
  const applied = await Promise.all([1, 2, 3].map(() => migrate(open(1))))
  const sql = open()
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from router_migrations where version > 0`
  expect(applied.filter((steps) => steps > 0)).toEqual([row!.count])
  expect(row!.count).toBeGreaterThan(5)
  // No lock stays with a connection that the next client is given.
  expect(await sql`select from pg_locks where locktype = 'advisory'`).toHaveLength(0)
})

test('200 parallel generations over two routers are each recorded and paid once', async () => {
  const sql = open()
  await migrate(sql)
  const meters = [await startMeter(open()), await startMeter(open())]
  const account = await createAccount(sql)
  const receipts = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const generation = await meters[index % 2]!.accept(account.applicant())
      generation.progress(index)
      return await generation.settle(finished)
    }),
  )
  expect(new Set(receipts.map(({ ledgerId }) => ledgerId)).size).toBe(200)
  expect(await verifyLedger(sql)).toMatchObject({ generations: 200, open_holds: 0, differences: [] })
  await Promise.all(meters.map((meter) => meter.stop()))
  expect(await sql`select from api_keys where last_used_at is null`).toHaveLength(0)
})

test('a router serves behind a pooler: answers, records, look-ups', async () => {
  const backend = await createBackend({ paceMs: 0 })
  const router = await startRouterProcess(pooler.url, backend.url, { preparedStatements: false })
  const sql = open()
  const account = await service.createAccount(sql, 5_000_000n)
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const answer = await service.chat(router, account.apiKey, { stream: index % 2 === 0 })
      await answer.text()
      return answer
    }),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
  const headers = { authorization: `Bearer ${account.apiKey}` }
  for (const path of ['/models', `/generation?id=${answers[0]!.headers.get('x-router-generation-id')}`]) {
    expect((await fetch(`${router.baseUrl}${path}`, { headers })).status).toBe(200)
  }
  expect(await router.stop()).toBe(0)
  await backend.close()
  expect(await verifyLedger(sql)).toMatchObject({ generations: 50, open_holds: 0, differences: [] })
})
