import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { connect, type Queryable, type Sql } from './connection.ts'
import { OutageError } from './outage.ts'
import { startTestServer, type TestServer } from './testing.ts'

let server: TestServer
let sql: Sql
let admin: Sql

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open(1)).sql
  admin = connect({ url: server.embedded.url, maxConnections: 1 })
})

afterAll(async () => {
  await admin.end()
  await server.stop()
})

/** Ends the connection of a transaction, as a database does that goes away. */
async function cut(transaction: Queryable): Promise<void> {
  const [own] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`
  await admin`select pg_terminate_backend(${own!.pid})`
}

/** Asks until it is told that the connection has gone. What the driver still took it may never answer. */
async function askUntilGone(transaction: Queryable): Promise<unknown> {
  for (;;) {
    await turn()
    try {
      transaction`select 2`.catch(() => {})
    } catch (error) {
      if (error instanceof OutageError) return error
      throw error
    }
  }
}

const isBack = () =>
  vi.waitUntil(() =>
    sql`select 1`.then(
      () => true,
      () => false,
    ),
  )

// Without the guard the driver writes to a socket that is not there any more, where nobody can catch it: that ends a
// process, and fails this file.
test('what is asked of a transaction whose connection has gone is an outage, and ends nothing else', async () => {
  let late: unknown
  const whole = sql.begin(async (transaction) => {
    await cut(transaction)
    late = await askUntilGone(transaction)
  })
  await expect(whole).rejects.toThrow(Error)
  await vi.waitUntil(() => late instanceof OutageError)
  await isBack()
})

test('a task that fails after its connection has gone is not rolled back over it', async () => {
  const whole = sql.begin(async (transaction) => {
    await cut(transaction)
    await askUntilGone(transaction)
    throw new RangeError('late')
  })
  await expect(whole).rejects.not.toBeInstanceOf(RangeError)
  await isBack()
})

test('a transaction that fails by itself is rolled back, and its error is told as it is', async () => {
  await sql`create table kept (n integer)`
  const failing = sql.begin('isolation level repeatable read', async (transaction) => {
    await transaction`insert into kept values (1)`
    throw new RangeError('no')
  })
  await expect(failing).rejects.toThrow(RangeError)
  const both = await sql.begin((transaction) => [transaction`select 1 as a`, transaction`select * from kept`])
  expect(both.map((rows) => [...rows])).toEqual([[{ a: 1 }], []])
})

describe('a transaction that comes behind other statements of its pool', () => {
  let pool: Sql

  /** Its connections are open, and know the statement. */
  async function open(maxConnections: number): Promise<void> {
    pool = connect({ url: server.embedded.url, maxConnections })
    await Promise.all(Array.from({ length: maxConnections }, () => ask('')))
  }

  afterEach(async () => {
    await pool.end({ timeout: 1 })
  })

  const ask = (filler: string) => pool`select length(${filler}::text)`

  async function expectTransaction(): Promise<void> {
    const ids = await pool.begin(async (transaction) => {
      const [first] = await transaction`select pg_current_xact_id()::text as id`
      const [second] = await transaction`select pg_current_xact_id()::text as id`
      return [first!.id, second!.id]
    })
    expect(ids[0]).toBe(ids[1])
    const left = await admin`select from pg_stat_activity where state like 'idle in transaction%'`
    expect(left).toHaveLength(0)
  }

  // By itself the driver hands a connection 101 at once.
  test('is one, however many they are', async () => {
    await open(2)
    for (let before = 190; before <= 210; before += 1) {
      const asked = Array.from({ length: before }, () => ask('').execute())
      await expectTransaction()
      await Promise.all(asked)
    }
  })

  test('is one, when they fill the socket of a database that reads nothing', async () => {
    await open(1)
    const asked: Promise<unknown>[] = [pool`select pg_sleep(1.5)`.execute()]
    // The driver writes what is less than a KiB after its turn, and does not look what becomes of it.
    for (let count = 0; count < 12_000; count += 1) {
      asked.push(ask('x'.repeat(900)).execute())
      await turn()
      await turn()
    }
    // With the beginning of a transaction behind it, this is just more.
    asked.push(ask('x'.repeat(970)).execute())
    await expectTransaction()
    await Promise.all(asked)
  })
})
