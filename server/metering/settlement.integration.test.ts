import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Meter } from '../meter.ts'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { findGeneration } from './records.ts'
import {
  type Account,
  COST_MICROS,
  createAccount,
  finished,
  losingAnswers,
  pricing,
  startMeter,
  until,
} from './testing.ts'
import { verifyLedger } from './verify-ledger.ts'

let server: TestServer
let sql: Sql
let meter: Meter
let account: Account

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
  meter = await startMeter(sql)
})

afterAll(async () => {
  await meter.stop()
  await server.stop()
})

beforeEach(async () => {
  account = await createAccount(sql)
})

const ledgerOf = (workspaceId: string) =>
  sql`select * from ledger where workspace_id = ${workspaceId} order by number`
const expectClean = async () => expect((await verifyLedger(sql)).differences).toEqual([])

test('a settled generation can be read at once: its record, its debit, the balance, and no hold', async () => {
  const applicant = account.applicant({ evidenceDigest: `sha256/${'A'.repeat(43)}` })
  const receipt = await (await meter.accept(applicant)).settle(finished)
  expect(receipt).toEqual({ costMicros: COST_MICROS, ledgerId: `led_${applicant.generation.id.slice(4)}` })
  expect(await findGeneration(sql, account.workspaceId, applicant.generation.id)).toEqual({
    id: applicant.generation.id,
    workspaceId: account.workspaceId,
    keyId: account.keyId,
    operation: 'chat',
    streamed: true,
    model: 'demo/tiny-chat',
    endpoint: 'demo',
    evidenceDigest: applicant.generation.evidenceDigest,
    status: 'ok',
    finishReason: 'stop',
    usage: { promptTokens: 12, completionTokens: 34 },
    usageSource: 'backend',
    pricing,
    costMicros: COST_MICROS,
    latencyMs: 120,
    timeToFirstTokenMs: 20,
    createdAt: applicant.generation.createdAt,
    ledger: { id: receipt.ledgerId, amountMicros: -COST_MICROS },
  })
  expect(await findWorkspace(sql, account.workspaceId)).toMatchObject({
    balanceMicros: 4_999_977n,
    heldMicros: 0n,
  })
  const [, debit] = await ledgerOf(account.workspaceId)
  expect(debit).toMatchObject({
    number: 2n,
    kind: 'generation',
    amount_micros: -23n,
    balance_after_micros: 4_999_977n,
    reference: applicant.generation.id,
    idempotency_key: `generation:${applicant.generation.id}`,
  })
  await expectClean()
})

test('another workspace’s generation is unknown', async () => {
  const applicant = account.applicant()
  await (await meter.accept(applicant)).settle(finished)
  const other = await createAccount(sql)
  expect(await findGeneration(sql, other.workspaceId, applicant.generation.id)).toBeUndefined()
})

test('a running generation is unknown', async () => {
  const running = await meter.accept(account.applicant())
  expect(await findGeneration(sql, account.workspaceId, running.id)).toBeUndefined()
  await running.settle(finished)
})

test('a generation that cost nothing has its ledger row too', async () => {
  const running = await meter.accept(account.applicant())
  const usage = { promptTokens: 0, completionTokens: 0 }
  const receipt = await running.settle({ ...finished, status: 'aborted', finishReason: null, usage })
  expect(receipt.costMicros).toBe(0)
  expect((await ledgerOf(account.workspaceId))[1]).toMatchObject({ id: receipt.ledgerId, amount_micros: 0n })
})

test('settling twice is settling once', async () => {
  const running = await meter.accept(account.applicant())
  const receipts = await Promise.all([running.settle(finished), running.settle(finished)])
  expect(receipts[0]).toEqual(receipts[1])
  expect(await ledgerOf(account.workspaceId)).toHaveLength(2)
})

test('a batch whose answer was lost is settled once, and is told so', async () => {
  const answers = losingAnswers(sql, 'settle_generations')
  const losing = await startMeter(answers.sql)
  const running = await Promise.all(Array.from({ length: 5 }, () => losing.accept(account.applicant())))
  answers.lose(2)
  const receipts = await Promise.all(running.map((one) => one.settle(finished)))
  expect(receipts.map((receipt) => receipt.costMicros)).toEqual([23, 23, 23, 23, 23])
  expect(await ledgerOf(account.workspaceId)).toHaveLength(6)
  expect((await findWorkspace(sql, account.workspaceId))?.balanceMicros).toBe(4_999_885n)
  await losing.stop()
  await expectClean()
})

test('a settlement that somebody cancels in the database is tried again, not given up', async () => {
  const running = await meter.accept(account.applicant())
  let settled: Promise<unknown> | undefined
  await sql.begin(async (transaction) => {
    await transaction`select from workspaces where id = ${account.workspaceId} for update`
    settled = running.settle(finished)
    await until(async () => {
      const cancelled = await sql`select pg_cancel_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%settle_generations%' and pid <> pg_backend_pid()`
      return cancelled.length > 0
    })
  })
  expect(await settled).toMatchObject({ costMicros: COST_MICROS })
  await expectClean()
})

test('balances in the ledger follow each other without a gap, however many routers settle', async () => {
  const meters = [meter, await startMeter(sql), await startMeter(sql)]
  await Promise.all(
    Array.from({ length: 300 }, async (_, i) => {
      const usage = { promptTokens: i, completionTokens: 2 * i }
      await (await meters[i % 3]!.accept(account.applicant({ holdMicros: 100 }))).settle({
        ...finished,
        usage,
      })
    }),
  )
  await Promise.all([meters[1]!.stop(), meters[2]!.stop()])
  expect(await ledgerOf(account.workspaceId)).toHaveLength(301)
  await expectClean()
})

test('a hot workspace and many keys settle side by side without a deadlock', async () => {
  const accounts = await Promise.all(Array.from({ length: 10 }, () => createAccount(sql)))
  const meters = await Promise.all(Array.from({ length: 3 }, () => startMeter(sql)))
  const before = await deadlocks()
  await Promise.all(
    Array.from({ length: 600 }, async (_, i) => {
      const own = i % 2 === 0 ? account : accounts[i % 10]!
      const running = await meters[i % 3]!.accept(own.applicant({ holdMicros: 100 }))
      running.progress(i)
      await running.settle(finished)
    }),
  )
  await Promise.all(meters.map((one) => one.stop()))
  expect(await deadlocks()).toBe(before)
  await expectClean()
})

async function deadlocks(): Promise<bigint> {
  const [row] = await sql`select deadlocks from pg_stat_database where datname = current_database()`
  return row?.deadlocks
}

test.each([
  ['negative', { promptTokens: -1, completionTokens: 3 }],
  ['fractional', { promptTokens: 1, completionTokens: 3.5 }],
  ['no number', { promptTokens: Number.NaN, completionTokens: 3 }],
])('a usage that is %s is not booked: the router’s own count is', async (_, usage) => {
  const running = await meter.accept(account.applicant({ countedPromptTokens: 100 }))
  running.progress(7)
  await running.settle({ ...finished, usage })
  expect(await findGeneration(sql, account.workspaceId, running.id)).toMatchObject({
    usage: { promptTokens: 100, completionTokens: 7 },
    usageSource: 'counted',
  })
})

test('a usage beyond what was held for is booked as the bound, and says so', async () => {
  const running = await meter.accept(account.applicant({ promptBoundTokens: 1_424, outputCapTokens: 5 }))
  const usage = { promptTokens: 1, completionTokens: 999_999_999 }
  expect(await running.settle({ ...finished, usage })).toMatchObject({ costMicros: 4 })
  expect(await findGeneration(sql, account.workspaceId, running.id)).toMatchObject({
    usage: { promptTokens: 1, completionTokens: 5 },
    usageSource: 'bounded',
    costMicros: 4,
  })
})

test('a generation that another model serves is that model’s, at its prices, and its hold says so before it is asked', async () => {
  const running = await meter.accept(account.applicant())
  const served = {
    model: 'demo/other',
    endpoint: 'elsewhere',
    evidenceDigest: null,
    pricing: { promptMicros: 1_000_000, completionMicros: 2_000_000 },
    countedPromptTokens: 7,
    promptBoundTokens: 20,
    outputCapTokens: 30,
  }
  const other = await running.serveBy(served)
  const [hold] =
    await sql`select model, prompt_tokens, amount_micros from holds where generation_id = ${running.id}`
  expect(hold).toEqual({ model: 'demo/other', prompt_tokens: 7n, amount_micros: 10_044n })
  expect(await other.settle(finished)).toMatchObject({ costMicros: 72 })
  expect(await findGeneration(sql, account.workspaceId, running.id)).toMatchObject({
    model: 'demo/other',
    endpoint: 'elsewhere',
    usage: { promptTokens: 12, completionTokens: 30 },
    usageSource: 'bounded',
    costMicros: 72,
  })
  await expect(running.serveBy(served)).rejects.toMatchObject({ reason: 'reaped' })
  await expectClean()
})

test('a finish reason that could be content is not recorded', async () => {
  const running = await meter.accept(account.applicant())
  await running.settle({ ...finished, finishReason: 'My secret prompt\0' })
  expect((await findGeneration(sql, account.workspaceId, running.id))?.finishReason).toBe('other')
})

test.each([
  ['update', 'ledger', 'update ledger set amount_micros = 0'],
  ['delete', 'ledger', 'delete from ledger'],
  ['truncate', 'ledger', 'truncate ledger'],
  ['update', 'generations', "update generations set status = 'ok'"],
  ['delete', 'generations', 'delete from generations where false'],
  ['truncate', 'generations', 'truncate generations'],
])('the database refuses to %s the %s', async (_, table, statement) => {
  await expect(sql.unsafe(statement)).rejects.toThrow(`${table} is append-only`)
  await expect(
    sql.begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`
      await transaction.unsafe(statement)
    }),
  ).rejects.toThrow(`${table} is append-only`)
})

test('a key’s last use is on record after the meter has stopped', async () => {
  const other = await startMeter(sql)
  await (await other.accept(account.applicant())).settle(finished)
  await other.stop()
  const [key] = await sql`select last_used_at from api_keys where id = ${account.keyId}`
  expect(Date.now() - key?.last_used_at.getTime()).toBeLessThan(60_000)
})

test('drain waits for what runs', async () => {
  const other = await startMeter(sql)
  const running = await other.accept(account.applicant())
  let isDrained = false
  const drained = other.drain().then(() => {
    isDrained = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect([isDrained, other.runningCount]).toEqual([false, 1])
  await running.settle(finished)
  await drained
  expect(other.runningCount).toBe(0)
  await other.stop()
})
