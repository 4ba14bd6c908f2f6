import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Buckets } from '../limits/buckets.ts'
import type { KeyRates } from '../limits/key-rates.ts'
import { silent } from '../log.ts'
import type { Meter, MeterTimers } from '../meter.ts'
import type { Sql } from '../store/connection.ts'
import { createDatabaseClock } from '../store/database-clock.ts'
import { OutageError } from '../store/outage.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { renewLease } from './lease.ts'
import { forgetReplicas } from './orphans.ts'
import { createReaper } from './reaper.ts'
import { findGeneration } from './records.ts'
import { createRunningSet } from './running.ts'
import { createSettlement } from './settlement.ts'
import {
  type Account,
  createAccount,
  finished,
  introduce,
  losingAnswers,
  onlyPool,
  startMeter,
  until,
  wideBuckets,
} from './testing.ts'
import { verifyLedger } from './verify-ledger.ts'

/** A twentieth of the contract's. */
const timers: MeterTimers = { leaseMs: 1_000, renewMs: 250, reapMs: 50, checkpointMs: 50, outageMs: 5_000 }
const NEVER_MS = 1_000_000_000

let server: TestServer
let sql: Sql
let account: Account
const meters: Meter[] = []

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  sql = (await server.open()).sql
  account = await createAccount(sql)
  return async () => {
    await Promise.all(meters.splice(0).map((meter) => meter.stop()))
  }
})

async function start(change: Partial<MeterTimers> = {}, on = sql): Promise<Meter> {
  const meter = await startMeter(on, { timers: { ...timers, ...change } })
  meters.push(meter)
  return meter
}

/** A router that renews no lease and reaps nobody: dead, or asleep. */
const startSilent = (change: Partial<MeterTimers> = {}): Promise<Meter> =>
  start({ renewMs: NEVER_MS, reapMs: NEVER_MS, ...change })

const find = (id: string) => findGeneration(sql, account.workspaceId, id)

async function expectNothingOpen(): Promise<void> {
  expect(await verifyLedger(sql)).toMatchObject({ open_holds: 0, differences: [] })
}

test('the holds of a dead router are settled as aborted, with the prompt and the tokens last checkpointed', async () => {
  const [dead] = [await startSilent(), await start(), await start()]
  const streams = await Promise.all(Array.from({ length: 20 }, () => dead.accept(account.applicant())))
  for (const [index, stream] of streams.entries()) stream.progress(index)
  await until(async () => {
    const [row] = await sql`select sum(completion_tokens)::integer as sum from holds`
    return row?.sum === 190
  })
  streams[0]!.progress(1_000)
  await until(async () => (await verifyLedger(sql)).generations === 20)
  expect(await find(streams[7]!.id)).toMatchObject({
    status: 'aborted',
    finishReason: null,
    usage: { promptTokens: 12, completionTokens: 7 },
    usageSource: 'counted',
    costMicros: 6,
    timeToFirstTokenMs: null,
  })
  await expectNothingOpen()
})

test('what an orphan has used is taken from its key’s buckets, once, by whichever router settles it', async () => {
  const debits: { readonly tokens: number; readonly key: KeyRates }[] = []
  const buckets: Buckets = {
    ...wideBuckets(),
    async debit(key, tokens) {
      debits.push({ key, tokens })
    },
  }
  const limited = await createAccount(sql, { tokensPerMinute: 1_000 })
  const watching = async () => {
    const meter = await startMeter(sql, { timers, buckets })
    meters.push(meter)
  }
  const [dead] = [await startSilent(), await watching(), await watching()]
  const stream = await dead.accept(limited.applicant())
  stream.progress(7)
  await until(async () => (await sql`select from holds where completion_tokens = 7`).length === 1)
  await until(() => debits.length > 0)
  await expectNothingOpen()
  const { keyId, workspaceId } = limited
  const inherited = { workspaceRequestsPerMinute: null, workspaceTokensPerMinute: null }
  const key = { keyId, workspaceId, requestsPerMinute: null, tokensPerMinute: 1_000, ...inherited }
  expect(debits).toEqual([{ key, tokens: 12 + 7 }])
})

test('an owner that wakes after its lease has lapsed finds its hold gone', async () => {
  const [asleep] = [await startSilent(), await start()]
  const stream = await asleep.accept(account.applicant())
  await until(async () => (await find(stream.id)) !== undefined)
  await expect(stream.settle(finished)).rejects.toMatchObject({ name: 'SettlementError', reason: 'reaped' })
  expect(await find(stream.id)).toMatchObject({ status: 'aborted' })
  expect(asleep.runningCount).toBe(0)
  await expectNothingOpen()
})

test('an owner that wakes before anybody noticed keeps its generations', async () => {
  const asleep = await startSilent()
  const stream = await asleep.accept(account.applicant())
  await until(async () => (await sql`select from replicas where lapses_at < clock_timestamp()`).length === 1)
  await stream.settle(finished)
  expect(await find(stream.id)).toMatchObject({ status: 'ok' })
})

test('a router judges others only after one whole lease of contact of its own', async () => {
  const dead = await startSilent()
  await dead.accept(account.applicant())
  await until(async () => (await sql`select from replicas where lapses_at < clock_timestamp()`).length === 1)
  await until(async () => {
    const [row] =
      await sql`select clock_timestamp() - max(placed_at) > interval '1 second' as is_old from holds`
    return row?.is_old === true
  })
  const startedAt = performance.now()
  await start()
  await until(async () => (await verifyLedger(sql)).open_holds === 0)
  expect(performance.now() - startedAt).toBeGreaterThan(timers.leaseMs)
})

test('a living router’s long stream is left alone', async () => {
  const [living] = [await start(), await start()]
  const stream = await living.accept(account.applicant())
  const startedAt = performance.now()
  await until(() => performance.now() - startedAt > 3 * timers.leaseMs)
  await stream.settle(finished)
  expect(await find(stream.id)).toMatchObject({ status: 'ok' })
})

test('an outage of the database lapses every lease and reaps nobody, not even who comes back late', async () => {
  const [quick, late] = [await start(), await startSilent()]
  const renewLate = async () => {
    await renewLease({ sql, replica: late.replica, leaseMs: timers.leaseMs })
  }
  const streams = await Promise.all([quick, late].map((meter) => meter.accept(account.applicant())))
  const pause = async (leases: number, task: () => Promise<void> = async () => {}): Promise<void> => {
    const startedAt = performance.now()
    await until(async () => {
      await task()
      return performance.now() - startedAt > leases * timers.leaseMs
    })
  }
  await pause(1.5, renewLate)
  await server.embedded.stop()
  await pause(1.5)
  await server.embedded.ensureRunning()
  await until(async () => (await sql`select from replicas where lapses_at > clock_timestamp()`).length === 1)
  await pause(0.5)
  await renewLate()
  for (const stream of streams) {
    await stream.settle(finished)
    expect(await find(stream.id)).toMatchObject({ status: 'ok' })
  }
  await expectNothingOpen()
})

test('a hold whose admission was never answered is released as an aborted generation of nothing', async () => {
  const answers = losingAnswers(sql, 'admit_generations')
  const meter = await start({ outageMs: 200 }, answers.sql)
  await introduce(meter, account)
  answers.lose(Number.POSITIVE_INFINITY)
  const applicant = account.applicant()
  await expect(meter.accept(applicant)).rejects.toThrow(OutageError)
  await until(async () => (await find(applicant.generation.id)) !== undefined)
  expect(await find(applicant.generation.id)).toMatchObject({
    status: 'aborted',
    usage: { promptTokens: 0, completionTokens: 0 },
    costMicros: 0,
  })
  await expectNothingOpen()
})

test('what a running generation holds is never taken for an orphan', async () => {
  const answers = losingAnswers(sql, 'admit_generations')
  const meter = await start({}, answers.sql)
  await introduce(meter, account)
  answers.lose(1)
  const stream = await meter.accept(account.applicant())
  stream.progress(5)
  await until(async () => (await sql`select from holds where completion_tokens = 5`).length === 1)
  stream.progress(6)
  await until(async () => (await sql`select from holds where completion_tokens = 6`).length === 1)
  await stream.settle(finished)
  expect(await find(stream.id)).toMatchObject({ status: 'ok' })
})

test('what ends while a sweep takes it for an orphan stays as its client saw it', async () => {
  const meter = await start()
  const stream = await meter.accept(account.applicant())
  const { replica } = meter
  const settlement = createSettlement({
    pool: onlyPool(sql),
    replica,
    clock: createDatabaseClock(),
    log: silent,
  })
  const reaper = createReaper({
    sql,
    replica,
    leaseMs: timers.leaseMs,
    settlement: {
      ...settlement,
      settle(item) {
        const written = stream.settle(finished).then(() => settlement.settle(item).written)
        return { written, withhold() {} }
      },
    },
    running: createRunningSet(),
    buckets: wideBuckets(),
    log: silent,
  })
  await reaper.sweep()
  const { usage, usageSource } = finished
  expect(await find(stream.id)).toMatchObject({ status: 'ok', usage, usageSource, costMicros: 23 })
  await expectNothingOpen()
})

test('a router that stops gives its lease back; what it left is settled at once by the next', async () => {
  const [leaving] = [await start(), await start()]
  await leaving.accept(account.applicant())
  await leaving.stop()
  const [row] = await sql`
    select lapses_at <= clock_timestamp() as is_over from replicas where id = ${leaving.replica}`
  expect(row?.is_over).toBe(true)
  await until(async () => (await verifyLedger(sql)).open_holds === 0)
  await expectNothingOpen()
})

test('a router long gone is forgotten once it holds nothing', async () => {
  const dead = await startSilent()
  const stream = await dead.accept(account.applicant())
  await sql`update replicas set lapses_at = clock_timestamp() - interval '2 hours'`
  await forgetReplicas(sql)
  expect(await sql`select from replicas`).toHaveLength(1)
  await stream.settle(finished)
  await forgetReplicas(sql)
  expect(await sql`select from replicas`).toHaveLength(0)
})
