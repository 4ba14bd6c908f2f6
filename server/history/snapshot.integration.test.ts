import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sql } from '../store/connection.ts'
import { OutageError } from '../store/outage.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { readSnapshot } from './snapshot.ts'

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open(6)).sql
})

afterAll(() => server.stop())

test('people who read take a third of the connections, and a failure frees its place', async () => {
  let [reading, most] = [0, 0]
  const read = (index: number) =>
    readSnapshot(sql, 'ws_one', async (snapshot) => {
      reading++
      most = Math.max(most, reading)
      const [row] = await snapshot<{ n: number }[]>`select ${index}::integer as n from pg_sleep(0.02)`
      reading--
      if (index % 5 === 0) throw new Error('in vain')
      return row!.n
    })
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => read(index)))
  expect(most).toBe(2)
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(4)
  expect(results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))).toHaveLength(16)
})

test('a workspace that reads without end makes no other one wait behind it', async () => {
  const turns: string[] = []
  const read = (workspaceId: string) =>
    readSnapshot(sql, workspaceId, async (snapshot) => {
      turns.push(workspaceId)
      await snapshot`select pg_sleep(0.01)`
    })
  const greedy = Array.from({ length: 40 }, () => read('ws_greedy'))
  await Promise.all([...greedy, read('ws_modest'), read('ws_other'), read('ws_modest')])
  // Two read when the others come; from then on it is everybody's turn.
  expect(turns).toHaveLength(43)
  expect(turns.lastIndexOf('ws_modest')).toBeLessThan(10)
  expect(turns.indexOf('ws_other')).toBeLessThan(10)
})

test('what takes too long is told as an outage, the database gives it up, and its place is free again', async () => {
  const slow = () => readSnapshot(sql, 'ws_one', (snapshot) => snapshot`select pg_sleep(600)`)
  const waiting = () => readSnapshot(sql, 'ws_one', async () => 'never asked for')
  const all = await Promise.allSettled([slow(), slow(), waiting(), waiting()])
  expect(all.map((one) => one.status === 'rejected' && one.reason instanceof OutageError)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(await readSnapshot(sql, 'ws_one', async (snapshot) => (await snapshot`select 1`).length)).toBe(1)
  expect(
    await sql`select from pg_stat_activity where query like '%pg_sleep(600)%' and state = 'active'
    and pid <> pg_backend_pid()`,
  ).toEqual([])
})
