import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sql } from './connection.ts'
import { rowsOf } from './rows-of.ts'
import { startTestServer, type TestServer } from './testing.ts'

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open(1)).sql
})

afterAll(async () => {
  await server.stop()
})

/** Longer than any text of the driver's own. */
const PARAMETER = 'p'.repeat(5_000)

const ask = () => sql<{ text: string }[]>`select ${PARAMETER}::text as text from generate_series(1, 3)`

/** Whether what hangs on an object has a text of that length, however deep. */
function holds(held: unknown, seen = new Set<unknown>()): boolean {
  if (typeof held === 'string') return held.length >= PARAMETER.length
  if (held === null || typeof held !== 'object' || seen.has(held)) return false
  seen.add(held)
  return Object.values(held).some((one) => holds(one, seen))
}

test('rows come as the driver gives them, and nothing that is large stays with the statement', async () => {
  for (const _ of ['prepared for it', 'prepared before']) {
    const statement = ask()
    expect(await rowsOf(statement)).toEqual(Array.from({ length: 3 }, () => ({ text: PARAMETER })))
    expect(holds(statement)).toBe(false)
    expect(holds(await statement)).toBe(false)
  }
})

test('without it both would stay', async () => {
  const statement = ask()
  const rows = await statement
  expect(holds(statement)).toBe(true)
  expect(holds(rows)).toBe(true)
})

test('a statement that fails rejects as ever', async () => {
  await expect(rowsOf(sql`select ${'none'}::integer`)).rejects.toMatchObject({ code: '22P02' })
})
