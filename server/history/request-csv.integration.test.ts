import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createAccount } from '../metering/testing.ts'
import type { Sql } from '../store/connection.ts'
import { createKey } from '../store/keys.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { requestCsv } from './request-csv.ts'
import { fillHistory } from './testing.ts'

let server: TestServer
let sql: Sql
let workspaceId: string

/** What somebody may call a key, and the cell that it becomes. */
const names = [
  ['=HYPERLINK("http://x.example","y")', `"'=HYPERLINK(""http://x.example"",""y"")"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\u202e=gpj.exe', "'\u202e=gpj.exe"],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['a, "b"', '"a, ""b"""'],
  ['مفتاح', 'مفتاح'],
] as const

const ROWS = 3_500

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
  workspaceId = (await createAccount(sql)).workspaceId
  const keyIds: string[] = []
  for (const [name] of names) keyIds.push((await createKey(sql, workspaceId, { name })).key.id)
  await fillHistory(sql, { workspaceId, keyIds, count: ROWS })
  const other = await createAccount(sql)
  await fillHistory(sql, { workspaceId: other.workspaceId, keyIds: [other.keyId], count: 10 })
})

afterAll(() => server.stop())

const newest = { sort: 'time', isDescending: true } as const

test('every row that has ended is in the file once, names defused, in batches', async () => {
  const pieces: string[] = []
  for await (const piece of requestCsv(sql, workspaceId, newest)) pieces.push(piece)
  expect(pieces).toHaveLength(1 + Math.ceil(ROWS / 1_000))
  const text = pieces.join('')
  const rows = text.match(/gen-\d{26}/g)!
  expect(rows).toHaveLength(ROWS)
  expect(rows).toEqual([...new Set(rows)].toSorted().toReversed())
  expect(text).toMatch(
    /^time,model,key,input_tokens,output_tokens,cost_micros,tokens_per_second,time_to_first_token_ms,status,id,key_id\r\n/,
  )
  // Row n was made with key 1 + n % 8, counted from one.
  for (const [index, [, cell]] of names.entries()) {
    const n = 8 + index
    expect(text).toContain(
      `2026-01-01T00:00:${String(n).padStart(2, '0')}.000Z,demo/model-${n % 10},${cell},${1 + ((n * 7919) % 4001)},`,
    )
  }
})

test('the database is asked for a batch when the last one was taken, and not after its reader has left', async () => {
  const begun = vi.spyOn(sql, 'begin')
  const csv = requestCsv(sql, workspaceId, newest)
  await csv.next()
  expect(begun).toHaveBeenCalledTimes(0)
  await csv.next()
  await csv.next()
  expect(begun).toHaveBeenCalledTimes(2)
  await csv.return()
  expect(await csv.next()).toEqual({ done: true, value: undefined })
  expect(begun).toHaveBeenCalledTimes(2)
  const [idle] =
    await sql`select count(*)::integer as count from pg_stat_activity where state like 'idle in%'`
  expect(idle!.count).toBe(0)
  begun.mockRestore()
})
