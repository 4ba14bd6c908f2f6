import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
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
