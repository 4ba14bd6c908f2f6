import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connect, type Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { createAccount, finished, startMeter } from './testing.ts'

let server: TestServer
let sql: Sql
let statistics: Sql

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
  statistics = connect({ url: server.embedded.url, maxConnections: 1 })
})

afterAll(async () => {
  await statistics.end()
  await server.stop()
})

async function calls(beginning: string): Promise<number> {
  const [row] = await statistics`
    select coalesce(sum(calls), 0)::integer as calls from pg_stat_statements
    where starts_with(query, ${beginning}) and toplevel`
  return row?.calls
}

test('parallel requests share the statements that admit and settle them, and cost no others', async () => {
  const account = await createAccount(sql)
  const meter = await startMeter(sql)
  await statistics`select pg_stat_statements_reset()`
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      await (await meter.accept(account.applicant())).settle(finished)
    }),
  )
  const [admissions, settlements, all] = [
    await calls('select * from admit_generations('),
    await calls('select * from settle_generations('),
    await calls('select * from '),
  ]
  for (const count of [admissions, settlements]) {
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(64)
  }
  expect(all).toBe(admissions + settlements)
  await meter.stop()
})

test('a request costs one statement of admission, and a key’s first one at a router two', async () => {
  const [account, other] = [await createAccount(sql), await createAccount(sql, { requestsPerMinute: 3 })]
  const meter = await startMeter(sql)
  await statistics`select pg_stat_statements_reset()`
  for (const { applicant } of [account, other, account, account, other]) {
    await (await meter.accept(applicant())).settle(finished)
  }
  expect(await calls('select * from admit_generations(')).toBe(5 + 2)
  await meter.stop()
})

test('admission and settlement have connections of their own where there are some, and nothing else is asked there', async () => {
  const url = new URL((await server.open(1)).url)
  const own = connect({ url: url.href, maxConnections: 2 })
  const open = (name: string) => {
    url.searchParams.set('application_name', name)
    return connect({ url: url.href, maxConnections: 1 })
  }
  const bookings = { admission: open('admission'), settlement: open('settlement') }
  try {
    const account = await createAccount(own)
    const meter = await startMeter(own, { bookings })
    // At first both are done on one connection; the other is made ready a second later.
    await vi.waitFor(
      async () => {
        for (let count = 0; count < 3; count++) {
          await (await meter.accept(account.applicant())).settle(finished)
        }
        const sessions = await own<{ asked: string; name: string }[]>`
          select substring(query from '(admit|settle)_generations') as asked, application_name as name
          from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
        const booking = { admission: 'admit', settlement: 'settle' } as Readonly<Record<string, string>>
        for (const { asked, name } of sessions) expect(asked).toBe(booking[name] ?? null)
        expect(sessions.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(booking)))
      },
      { timeout: 5_000, interval: 100 },
    )
    await meter.stop()
  } finally {
    await Promise.all([own, bookings.admission, bookings.settlement].map((pool) => pool.end()))
  }
})
