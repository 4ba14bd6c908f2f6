import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connect, type Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { createAccount, finished, introduce, startMeter } from './testing.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

/** Pools of one connection each, of a role that may have so many altogether. */
async function openLimited(sql: Sql, address: string, connections: number) {
  await sql.unsafe(
    `create role limited login password 'limited' connection limit ${connections} in role router`,
  )
  const url = new URL(address)
  url.username = 'limited'
  url.password = 'limited'
  const open = (name: string) => {
    url.searchParams.set('application_name', name)
    return connect({ url: url.href, maxConnections: 1 })
  }
  return { admission: open('admission'), settlement: open('settlement') }
}

test('what is admitted is settled, on one connection where there is no other, now or later', async () => {
  const { sql, url } = await server.open()
  const bookings = await openLimited(sql, url, 1)
  const allow = (connections: number) => sql.unsafe(`alter role limited connection limit ${connections}`)
  const findSettling = async () => {
    const [row] = await sql<{ pid: number; begun: Date }[]>`
      select pid, query_start as begun from pg_stat_activity
      where usename = 'limited' and application_name = 'settlement'`
    return row
  }
  const meter = await startMeter(sql, { bookings })
  const account = await createAccount(sql)
  const use = async () => {
    await (await meter.accept(account.applicant())).settle(finished)
  }
  const settleThere = () =>
    vi.waitFor(async () => {
      // One could be the statement by which it is made ready.
      const begun = new Set([(await findSettling())!.begun.getTime()])
      for (let count = 0; count < 2; count++) {
        await use()
        begun.add((await findSettling())!.begun.getTime())
      }
      expect(begun.size).toBe(3)
    }, 20_000)
  try {
    await introduce(meter, account)
    // It is looked for a second after the start, and each second after that.
    const until = performance.now() + 2_500
    while (performance.now() < until) await use()
    expect(await findSettling()).toBeUndefined()
    await allow(2)
    await settleThere()
    await allow(1)
    await sql`select pg_terminate_backend(${(await findSettling())!.pid})`
    for (let count = 0; count < 20; count++) await use()
    expect(await findSettling()).toBeUndefined()
    expect(meter.runningCount).toBe(0)
    await allow(2)
    await settleThere()
  } finally {
    await meter.stop()
    await Promise.all([bookings.admission, bookings.settlement].map((pool) => pool.end()))
  }
})
