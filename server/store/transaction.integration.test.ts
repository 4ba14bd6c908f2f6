import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Sql } from './connection.ts'
import { isOutage } from './outage.ts'
import { startTestServer, type TestServer } from './testing.ts'
import { inTransaction } from './transaction.ts'

let server: TestServer
let sql: Sql
let others: Sql

beforeAll(async () => {
  server = await startTestServer()
  const database = await server.open(1)
  sql = database.sql
  others = connect({ url: database.url, maxConnections: 1 })
  await sql`create table things (id integer primary key, value integer)`
  await sql`insert into things values (1, 0)`
})

afterAll(async () => {
  await others.end({ timeout: 1 })
  await server.stop()
})

/** Locks the row, and is then asked nothing more, as by a program that was stopped or whose machine is gone. */
async function abandon(): Promise<{ readonly whole: Promise<unknown> }> {
  const { promise: locked, resolve } = Promise.withResolvers<void>()
  const whole = inTransaction(sql, async (transaction) => {
    await transaction`update things set value = 1 where id = 1`
    resolve()
    await new Promise(() => {})
  }).catch((error: unknown) => error)
  await locked
  return { whole }
}

test('a transaction that nobody goes on with ends, and what it had locked is free', async () => {
  const { whole } = await abandon()
  // Every batch of requests takes its workspaces' locks: this one would keep all others waiting as well.
  await others`update things set value = 2 where id = 1`
  expect(isOutage(await whole)).toBe(true)
  expect((await sql`select value from things`)[0]).toEqual({ value: 2 })
})

test('whoever does not want to wait for a lock for ever is told, and keeps no connection', async () => {
  await others.begin(async (transaction) => {
    await transaction`update things set value = 3 where id = 1`
    const waiting = inTransaction(sql, (own) => own`update things set value = 4 where id = 1`, {
      lockMs: 100,
    })
    await expect(waiting).rejects.toMatchObject({ code: '55P03' })
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
  })
})
