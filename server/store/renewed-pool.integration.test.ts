import { setImmediate as turn } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connect, type Sql } from './connection.ts'
import { isOutage } from './outage.ts'
import { renewPool } from './renewed-pool.ts'
import { startTestServer, type TestServer } from './testing.ts'

let server: TestServer
let admin: Sql

beforeAll(async () => {
  server = await startTestServer()
  admin = connect({ url: server.embedded.url, maxConnections: 1 })
})

afterAll(async () => {
  await admin.end()
  await server.stop()
})

/** Ends every connection to the database of a pool, as a database does that goes away. */
async function cutAll(sql: Sql): Promise<void> {
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${sql.options.database}`
}

/** What a statement ended in. */
async function outcome(statement: PromiseLike<unknown>): Promise<'answered' | 'outage'> {
  try {
    await statement
    return 'answered'
  } catch (error) {
    expect(isOutage(error)).toBe(true)
    return 'outage'
  }
}

// The driver keeps what it is given between the end of a socket and its knowing of that: each such statement was one
// that never ended, on a connection that nothing was ever sent on again.
test('of the statements that are under way when connections are lost each one ends, and the pool is whole afterwards', async () => {
  const size = 3
  const { sql } = await server.open(size)
  for (let round = 0; round < 15; round++) {
    await Promise.all(Array.from({ length: size }, () => outcome(sql`select pg_sleep(0.01)`)))
    const asked: Promise<unknown>[] = []
    let isCut = false
    const cut = cutAll(sql).finally(() => (isCut = true))
    for (let after = 0; after < 50; after += isCut ? 1 : 0) {
      asked.push(outcome(sql`select 1`))
      await turn()
    }
    await cut
    await Promise.all(asked)
  }
  const places = () =>
    Promise.all(Array.from({ length: size }, () => sql`select pg_backend_pid() as pid, pg_sleep(0.3)`))
  await outcome(places())
  expect(new Set((await places()).map(([row]) => row!.pid)).size).toBe(size)
})

test('a transaction on another connection of the pool goes on', async () => {
  const { sql } = await server.open(2)
  const kept = sql.begin(async (transaction) => {
    await transaction`create temporary table here (n integer)`
    const [own] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`
    await outcome(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${sql.options.database} and pid <> ${own!.pid}`)
    await outcome(sql`select 1`)
    return await transaction`insert into here values (1) returning n`
  })
  expect([...(await kept)]).toEqual([{ n: 1 }])
})

test('a pool that is ended takes those that it replaced with it', async () => {
  const { sql } = await server.open(1)
  await sql`select 1`
  await cutAll(sql)
  await outcome(sql`select 1`)
  await outcome(sql`select 1`)
  const name = sql.options.database
  await sql.end()
  expect(await admin`select pid from pg_stat_activity where datname = ${name}`).toHaveLength(0)
  await expect(sql`select 1`).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
})

test('an old pool is replaced, and what runs on it runs on', async () => {
  const connection = { application_name: 'aged' }
  const types = { bigint: postgres.BigInt }
  const sql = renewPool((events) => postgres(server.embedded.url, { ...events, types, connection, max: 1 }), {
    lifetimeMs: 200,
  })
  const [first] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const running = sql<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(6)`.execute()
  await vi.waitUntil(async () => {
    sql`select 1`.catch(() => {})
    const others = await admin`
      select pid from pg_stat_activity where application_name = 'aged' and pid <> ${first!.pid}`
    return others.length > 0
  })
  expect((await running)[0]!.pid).toBe(first!.pid)
  await sql.end({ timeout: 1 })
})

// The driver's row of idle connections is empty only then, and grows until it is.
test('once a pool has been given as many statements as it may, each of its connections is given one at once', async () => {
  const asked: number[] = []
  const options = { types: { bigint: postgres.BigInt }, max: 3, fetch_types: false }
  const debug = (connection: number, query: string) => {
    if (query === 'select 1') asked.push(connection)
  }
  const sql = renewPool((events) => postgres(server.embedded.url, { ...events, ...options, debug }), {
    mostPlaces: 4,
  })
  for (let count = 0; count < 3; count++) await sql`select 2`
  expect(asked).toEqual([])
  await sql`select 2`
  await vi.waitFor(() => expect(new Set(asked).size).toBe(3))
  for (let count = 0; count < 3; count++) await sql`select 2`
  expect(asked).toHaveLength(3)
  await sql.end({ timeout: 1 })
})
