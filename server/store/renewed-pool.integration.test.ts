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

test('a pool that has been given as many statements as it may is replaced, and what runs on it runs on', async () => {
  const options = { types: { bigint: postgres.BigInt }, max: 2 }
  const sql = renewPool((events) => postgres(server.embedded.url, { ...events, ...options }), {
    mostStatements: 3,
  })
  const ask = async () => (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid
  const first = await ask()
  const running = sql<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(1)`.execute()
  const begun = sql.begin(
    async (one) => (await one<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid,
  )
  const old = [first, await begun]
  const next = await ask()
  expect(old).not.toContain(next)
  expect([await ask(), await ask()].every((pid) => !old.includes(pid))).toBe(true)
  expect(old).toContain((await running)[0]!.pid)
  await sql.end({ timeout: 1 })
})

// Both pools at once would need more connections than there may be.
test('a pool that has been given as many statements as it may leaves its idle connections to the next', async () => {
  await admin.unsafe(`create role two login password 'two' connection limit 2`)
  const url = new URL(server.embedded.url)
  Object.assign(url, { username: 'two', password: 'two' })
  const options = { types: { bigint: postgres.BigInt }, max: 2, fetch_types: false }
  const sql = renewPool((events) => postgres(url.href, { ...events, ...options }), { mostStatements: 4 })
  const askTwo = () =>
    Promise.all([1, 2].map(() => sql<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(0.1)`))
  const pidsOf = async () => (await askTwo()).map(([row]) => row!.pid)
  const old = await pidsOf()
  await askTwo()
  const pids = await vi.waitFor(pidsOf, { timeout: 3_000, interval: 50 })
  expect(pids.filter((pid) => old.includes(pid))).toEqual([])
  expect(new Set(pids).size).toBe(2)
  await sql.end({ timeout: 1 })
})

test('what still waits for a connection of a pool that is replaced by its age gets one, which is closed afterwards', async () => {
  const connection = { application_name: 'waited' }
  const options = { types: { bigint: postgres.BigInt }, max: 1, fetch_types: false, connection }
  const sql = renewPool((events) => postgres(server.embedded.url, { ...events, ...options }), {
    lifetimeMs: 200,
  })
  await sql`select 1`
  const pidOf = (one: postgres.ISql<{ bigint: bigint }>) =>
    one<{ pid: number }[]>`select pg_backend_pid() as pid`.then(([row]) => row!.pid)
  const begun = sql.begin(async (one) => {
    await one`select pg_sleep(1)`
    return await pidOf(one)
  })
  // The only connection is taken.
  const old = await Promise.all([begun, pidOf(sql)])
  expect(new Set(old).size).toBe(2)
  await vi.waitFor(async () => {
    const rows = await admin<
      { pid: number }[]
    >`select pid from pg_stat_activity where application_name = 'waited'`
    expect(rows.filter(({ pid }) => old.includes(pid))).toEqual([])
  }, 10_000)
  await sql.end({ timeout: 1 })
})

test('what runs on a pool that was replaced has its time when all are ended', async () => {
  const options = { types: { bigint: postgres.BigInt }, max: 2, fetch_types: false }
  const sql = renewPool((events) => postgres(server.embedded.url, { ...events, ...options }), {
    mostStatements: 2,
  })
  await sql`select 1`
  const running = sql`select pg_sleep(1), 1 as one`.execute()
  await sql`select 1`
  await sql.end({ timeout: 10 })
  expect([...(await running)]).toMatchObject([{ one: 1 }])
})

test('what waits for a connection as a pool ends is answered', async () => {
  const sql = connect({ url: server.embedded.url, maxConnections: 2 })
  await sql`select 1`
  const asked = Array.from({ length: 7 }, (_, place) =>
    sql.begin(async (one) => [...(await one`select pg_sleep(0.05), ${place}::integer as place`)][0]!.place),
  )
  await new Promise((resolve) => setTimeout(resolve, 20))
  await sql.end()
  expect(await Promise.all(asked)).toEqual([0, 1, 2, 3, 4, 5, 6])
})
