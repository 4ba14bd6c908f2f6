import { afterAll, beforeAll, expect, test } from 'vitest'
import { columnsOf } from './columns.ts'
import type { Sql } from './connection.ts'
import { startTestServer, type TestServer } from './testing.ts'

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
})

afterAll(() => server.stop())

test('whatever a batch holds arrives in the database as it is', async () => {
  const texts = ['plain', '', 'null', ' a, {b} ', '"', '\\', '\\"', "'", 'ä€😀', 'a\nb\t', null]
  const bigints = [0, -1, 2 ** 53 - 1, 9_223_372_036_854_775_807n, null]
  const dates = [new Date(0), new Date('2026-11-25T10:00:00.123Z'), null]
  const { text } = columnsOf(sql, texts)
  const { bigint } = columnsOf(sql, bigints)
  const { integer } = columnsOf(sql, [1, -2, null])
  const { boolean } = columnsOf(sql, [true, false, null])
  const { timestamptz } = columnsOf(sql, dates)
  const nothing = columnsOf<string>(sql, []).text((cell) => cell)
  // As PostgreSQL tells them: the driver reads no array with nulls of every kind.
  const [row] = await sql`select
    to_json(${text((cell) => cell)}::text[]) as texts,
    (${bigint((cell) => cell)}::bigint[])::text as bigints,
    to_json(${integer((cell) => cell)}::integer[]) as integers,
    to_json(${boolean((cell) => cell)}::boolean[]) as booleans,
    to_json(${timestamptz((cell) => cell)}::timestamptz[]) as dates,
    to_json(${nothing}::text[]) as nothing`
  const { dates: told, ...others } = row!
  expect(told.map((date: string | null) => date && new Date(date))).toEqual(dates)
  expect(others).toEqual({
    texts,
    bigints: '{0,-1,9007199254740991,9223372036854775807,NULL}',
    integers: [1, -2, null],
    booleans: [true, false, null],
    nothing: [],
  })
})
