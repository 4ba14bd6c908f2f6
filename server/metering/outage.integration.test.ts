import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { silent } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import { processesIn } from '../store/embedded/process.ts'
import { OutageError } from '../store/outage.ts'
import { supervise } from '../store/supervise.ts'
import { stallCommits, startTestServer, type TestServer } from '../store/testing.ts'
import type { Receipt } from './generation.ts'
import { findGeneration } from './records.ts'
import { type Account, createAccount, finished, introduce, startMeter, until } from './testing.ts'
import { verifyLedger } from './verify-ledger.ts'

const SHORT = { timers: { outageMs: 300 } }

let server: TestServer
let sql: Sql
let account: Account

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  sql = (await server.open()).sql
  account = await createAccount(sql, { balanceMicros: 1_000_000_000n })
})

/** A worker of the database's own may have ended since they were listed. */
function signal(processes: readonly number[], name: NodeJS.Signals): void {
  for (const pid of processes) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

const find = (id: string) => findGeneration(sql, account.workspaceId, id)

test('a settlement during a short outage waits for the database and is settled as it ended', async () => {
  const meter = await startMeter(sql)
  const stream = await meter.accept(account.applicant())
  await server.embedded.stop()
  const settled = stream.settle(finished)
  await server.embedded.ensureRunning()
  expect(await settled).toMatchObject({ costMicros: 23 })
  expect(await find(stream.id)).toMatchObject({ status: 'ok' })
  await meter.stop()
})

test('a settlement that cannot wait any longer fails, and is written as aborted when the database is back', async () => {
  const meter = await startMeter(sql, SHORT)
  const stream = await meter.accept(account.applicant())
  await server.embedded.stop()
  await expect(stream.settle(finished)).rejects.toMatchObject({
    name: 'SettlementError',
    reason: 'unavailable',
  })
  expect(meter.runningCount).toBe(1)
  await server.embedded.ensureRunning()
  await meter.drain()
  expect(await find(stream.id)).toMatchObject({ status: 'aborted', usage: finished.usage, costMicros: 23 })
  expect(await verifyLedger(sql)).toMatchObject({ open_holds: 0, differences: [] })
  await meter.stop()
})

const streamed = finished
/** A whole answer is shown once it is committed: nothing of it was seen before. */
const whole = { ...finished, timeToFirstTokenMs: null }

/** Where a statement stands still for longer than anybody waits for it; the result lets it go on. */
const standstills = {
  async 'before its first look'() {
    return await lockedBy(sql`select from workspaces where id = ${account.workspaceId} for update`)
  },
  async 'in the midst of its writes'() {
    return await lockedBy(sql`select from api_keys where id = ${account.keyId} for update`)
  },
  async 'at its commit'() {
    return await stallCommits(server)
  },
}

/** Holds the locks of a statement until the result is called. */
async function lockedBy(statement: ReturnType<Sql>): Promise<() => Promise<void>> {
  let unlock = (): void => {}
  let transaction: Promise<unknown> = Promise.resolve()
  await new Promise<void>((resolve, reject) => {
    transaction = sql.begin(async (own) => {
      await own`${statement}`
      resolve()
      await new Promise<void>((release) => {
        unlock = release
      })
    })
    transaction.catch(reject)
  })
  return async () => {
    unlock()
    await transaction
  }
}

const standstillNames = Object.keys(standstills) as (keyof typeof standstills)[]

test.each(
  standstillNames.flatMap((where) => [
    { where, what: 'a stream', outcome: streamed, usage: finished.usage, costMicros: 23 },
    {
      where,
      what: 'an answer',
      outcome: whole,
      usage: { promptTokens: 12, completionTokens: 0 },
      costMicros: 2,
    },
  ]),
)(
  '$what whose statement stands still $where, until nobody waits for it any more, is recorded as its client saw it',
  async ({ where, outcome, usage, costMicros }) => {
    const meter = await startMeter(sql, SHORT)
    const generation = await meter.accept(account.applicant())
    const goOn = await standstills[where]()
    await expect(generation.settle(outcome)).rejects.toMatchObject({ reason: 'unavailable' })
    expect(meter.isRunning(generation.id)).toBe(true)
    await goOn()
    await meter.drain()
    expect(await find(generation.id)).toMatchObject({
      status: 'aborted',
      usage,
      costMicros,
      ledger: { amountMicros: -costMicros },
    })
    const [workspace] = await sql`select balance_micros from workspaces where id = ${account.workspaceId}`
    expect(workspace!.balance_micros).toBe(1_000_000_000n - BigInt(costMicros))
    expect(await verifyLedger(sql)).toMatchObject({ open_holds: 0, differences: [] })
    // Only what was committed had to be corrected: the rest was never recorded as delivered.
    const corrected = await sql`select from withheld_generations`
    expect(corrected).toHaveLength(where === 'at its commit' ? 1 : 0)
    await expect(sql`delete from withheld_generations`).rejects.toThrow('append-only')
    await meter.stop()
  },
)

test('whenever PostgreSQL stands still, what each client saw and what its record says are the same', async () => {
  const patience = { timers: { outageMs: 150, checkpointMs: 50 } }
  const meters = [await startMeter(sql, patience), await startMeter(sql, patience)]
  const seen: { id: string; isClean: boolean; isStreamed: boolean }[] = []
  let isOver = false
  const clients = Array.from({ length: 24 }, async (_, index) => {
    const meter = meters[index % 2]!
    const isStreamed = index % 3 === 0
    while (!isOver) {
      const generation = await meter.accept(account.applicant()).catch(() => undefined)
      if (generation === undefined) continue
      if (isStreamed) generation.progress(34)
      const isClean = await generation.settle(isStreamed ? streamed : whole).then(
        () => true,
        () => false,
      )
      seen.push({ id: generation.id, isClean, isStreamed })
    }
  })
  // Each time at another step: between two batches, in the middle of a statement, at its commit.
  for (let stop = 0; stop < 20; stop++) {
    const before = seen.length
    await until(() => seen.length > before + 24)
    await new Promise((resolve) => setTimeout(resolve, (stop * 7) % 20))
    const processes = processesIn(server.embedded.databaseDir)
    signal(processes, 'SIGSTOP')
    const failed = () => seen.filter(({ isClean }) => !isClean).length
    const failedBefore = failed()
    const since = Date.now()
    await until(() => failed() > failedBefore || Date.now() > since + 2_000)
    signal(processes, 'SIGCONT')
  }
  isOver = true
  await Promise.all(clients)
  await Promise.all(meters.map((meter) => meter.drain()))

  const rows = await sql`select id, status, completion_tokens, cost_micros from generation_records`
  const records = new Map(rows.map((row) => [row.id, row]))
  const wrong = seen.filter(({ id, isClean, isStreamed }) => {
    const record = records.get(id)
    const completion = isClean || isStreamed ? 34n : 0n
    return record?.status !== (isClean ? 'ok' : 'aborted') || record.completion_tokens !== completion
  })
  expect(wrong).toEqual([])
  expect(seen.some(({ isClean }) => !isClean)).toBe(true)
  expect(seen.length).toBeGreaterThan(400)
  // Whatever was admitted and not answered for holds nothing for good; nothing is lost or doubled.
  expect((await verifyLedger(sql)).differences).toEqual([])
  await Promise.all(meters.map((meter) => meter.stop()))
})

test('an admission during a short outage waits for the database', async () => {
  const meter = await startMeter(sql)
  await server.embedded.stop()
  const accepted = meter.accept(account.applicant())
  await server.embedded.ensureRunning()
  await (await accepted).settle(finished)
  await meter.stop()
})

test.each(standstillNames.filter((where) => where !== 'at its commit'))(
  'an admission that stands still %s, until nobody waits for it any more, places no hold, whoever is there to look for it',
  async (where) => {
    // Nobody tidies up: as if its router had been killed.
    const meter = await startMeter(sql, { timers: { ...SHORT.timers, checkpointMs: 600_000 } })
    await introduce(meter, account)
    const goOn = await standstills[where]()
    await expect(meter.accept(account.applicant())).rejects.toThrow(OutageError)
    await goOn()
    await until(async () => {
      const underWay = await sql`select from pg_stat_activity
        where state <> 'idle' and query like '%admit_generations%' and pid <> pg_backend_pid()`
      return underWay.length === 0
    })
    expect(await verifyLedger(sql)).toMatchObject({ generations: 1, open_holds: 0, differences: [] })
    await meter.stop()
  },
)

test('an admission that cannot wait any longer fails and leaves no hold', async () => {
  const meter = await startMeter(sql, SHORT)
  await server.embedded.stop()
  await expect(meter.accept(account.applicant())).rejects.toThrow(OutageError)
  expect(meter.runningCount).toBe(0)
  await server.embedded.ensureRunning()
  await (await meter.accept(account.applicant())).settle(finished)
  expect(await verifyLedger(sql)).toMatchObject({ generations: 1, open_holds: 0, differences: [] })
  await meter.stop()
})

test('a meter stops in time although the database is away', async () => {
  const meter = await startMeter(sql, SHORT)
  const stream = await meter.accept(account.applicant())
  await server.embedded.stop()
  await expect(stream.settle(finished)).rejects.toMatchObject({ reason: 'unavailable' })
  await meter.stop()
  await server.embedded.ensureRunning()
  expect(await verifyLedger(sql)).toMatchObject({ open_holds: 1, differences: [] })
})

test('kill -9 of the database under load, again and again: no request fails, nothing is lost or doubled', async () => {
  const supervisor = supervise(server.embedded, { log: silent, intervalMs: 50 })
  // On a busy machine the database may take longer to recover than an answer waits in the contract.
  const patient = { timers: { outageMs: 30_000 } }
  const meters = [await startMeter(sql, patient), await startMeter(sql, patient)]
  const receipts: Receipt[] = []
  let isOver = false
  const clients = Array.from({ length: 20 }, async (_, index) => {
    while (!isOver) {
      const running = await meters[index % 2]!.accept(account.applicant())
      running.progress(receipts.length)
      receipts.push(await running.settle(finished))
    }
  })
  for (let kills = 1; kills <= 3; kills++) {
    const before = receipts.length
    await until(() => receipts.length > before + 200)
    process.kill(server.embedded.pid()!, 'SIGKILL')
  }
  const before = receipts.length
  await until(() => receipts.length > before + 200)
  isOver = true
  await Promise.all(clients)
  await supervisor.stop()

  const { generations, open_holds, differences } = await verifyLedger(sql)
  expect({ generations, open_holds, differences }).toEqual({
    generations: receipts.length,
    open_holds: 0,
    differences: [],
  })
  expect(new Set(receipts.map((receipt) => receipt.ledgerId)).size).toBe(receipts.length)
  expect(await sql`select from generations where status <> 'ok'`).toHaveLength(0)
  await Promise.all(meters.map((meter) => meter.stop()))
})
