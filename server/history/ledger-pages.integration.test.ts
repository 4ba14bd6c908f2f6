import { afterAll, beforeAll, expect, test } from 'vitest'
import { postEntry } from '../metering/ledger.ts'
import { createAccount, finished, startMeter } from '../metering/testing.ts'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { type LedgerQuery, readCredits } from './ledger-pages.ts'

let server: TestServer
let sql: Sql
let workspaceId: string

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
  const account = await createAccount(sql, { balanceMicros: 100n })
  workspaceId = account.workspaceId
  const meter = await startMeter(sql)
  for (let request = 0; request < 5; request++)
    await (await meter.accept(account.applicant())).settle(finished)
  await meter.stop()
  await postEntry(sql, { workspaceId, kind: 'adjustment', amountMicros: -1n, description: 'Less' })
  await createAccount(sql)
})

afterAll(() => server.stop())

const NEWEST_FIRST = [7n, 6n, 5n, 4n, 3n, 2n, 1n]

async function walk(start: 'first' | 'last', more: Partial<LedgerQuery> = {}): Promise<bigint[][]> {
  const pages: bigint[][] = []
  for (let place: LedgerQuery['place'] | undefined = start; place; ) {
    const { page } = await readCredits(sql, workspaceId, { place, limit: 3, ...more })
    pages.push(page.rows.map(({ number }) => number))
    const next: bigint | undefined = start === 'first' ? page.after : page.before
    place = next === undefined ? undefined : start === 'first' ? { after: next } : { before: next }
  }
  return pages
}

test('a ledger is paged from its newest row and from its oldest', async () => {
  expect(await walk('first')).toEqual([NEWEST_FIRST.slice(0, 3), NEWEST_FIRST.slice(3, 6), [1n]])
  expect(await walk('last')).toEqual([NEWEST_FIRST.slice(4), NEWEST_FIRST.slice(1, 4), [7n]])
  expect(await walk('first', { isFundsOnly: true })).toEqual([[7n, 1n]])
})

test('balance and page are of one moment, and rows that are added move no page', async () => {
  const before = await readCredits(sql, workspaceId, { place: { after: 6n }, limit: 3 })
  await postEntry(sql, { workspaceId, kind: 'top_up', amountMicros: 7n, description: 'More' })
  const after = await readCredits(sql, workspaceId, { place: { after: 6n }, limit: 3 })
  expect(after.page).toEqual(before.page)
  expect(after.balance.balanceMicros).toBe(before.balance.balanceMicros + 7n)
  const { balance, page } = await readCredits(sql, workspaceId, { place: 'first', limit: 1 })
  expect(page.rows[0]!.balanceAfterMicros).toBe(balance.balanceMicros)
})

test('a workspace that does not exist has nothing', async () => {
  const { balance, page } = await readCredits(sql, 'ws_none', { place: 'first', limit: 3 })
  expect([balance, page.rows]).toEqual([{ balanceMicros: 0n, heldMicros: 0n }, []])
})
