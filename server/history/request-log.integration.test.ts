import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokensPerSecond } from '../metering/speed.ts'
import { createAccount } from '../metering/testing.ts'
import type { Sql } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { createKey } from '../store/keys.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { readRequests } from './request-log.ts'
import { type Position, type RequestQuery, type RequestSort, requestSorts } from './request-query.ts'
import type { RequestRow } from './request-row.ts'
import { type WrittenRequest, writeRequests } from './testing.ts'

let server: TestServer
let sql: Sql
let workspaceId: string
let keys: readonly { readonly id: string; readonly name: string }[]
let written: readonly WrittenRequest[]

const MODELS = ['demo/a', 'demo/b', 'demo/c']
const START = Date.parse('2026-03-01T00:00:00Z')
const ROWS = 90

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
  const account = await createAccount(sql)
  const other = await createAccount(sql)
  workspaceId = account.workspaceId
  const { key } = await createKey(sql, workspaceId, { name: '=1+1' })
  keys = [
    { id: account.keyId, name: 'Test' },
    { id: key.id, name: '=1+1' },
  ]
  const [samples] = fc.sample(fc.array(request, { minLength: ROWS, maxLength: ROWS }), {
    numRuns: 1,
    seed: 7,
  })
  written = samples!.map((sample) => toWritten(sample, workspaceId, keys[sample.key]!))
  await writeRequests(sql, written)
  await writeRequests(
    sql,
    samples!.map((sample) => toWritten(sample, other.workspaceId, { id: other.keyId, name: 'Test' })),
  )
})

afterAll(() => server.stop())

/** Few values, so that many are equal. */
const request = fc.record({
  key: fc.nat(1),
  model: fc.constantFrom(...MODELS),
  second: fc.nat(8),
  promptTokens: fc.nat(3),
  completionTokens: fc.nat(3),
  costMicros: fc.nat(4),
  latencyMs: fc.constantFrom(0, 10, 20, 1_000),
  timeToFirstTokenMs: fc.constantFrom(null, 0, 10, 20),
  status: fc.constantFrom('ok', 'ok', 'ok', 'aborted', 'running'),
  isCorrected: fc.nat(9).map((one) => one === 0),
})

type Sample = typeof request extends fc.Arbitrary<infer One> ? One : never

function toWritten(sample: Sample, workspace: string, key: { id: string; name: string }): WrittenRequest {
  const { completionTokens, costMicros, latencyMs, timeToFirstTokenMs } = sample
  const status = sample.status as RequestRow['status']
  const isRunning = status === 'running'
  const isCorrected = sample.isCorrected && !isRunning
  return {
    workspaceId: workspace,
    id: createId('gen-'),
    createdAt: new Date(START + sample.second * 1_000),
    operation: 'chat',
    streamed: true,
    model: sample.model,
    keyId: key.id,
    keyName: key.name,
    promptTokens: sample.promptTokens,
    completionTokens,
    costMicros: isRunning ? null : costMicros,
    latencyMs: isRunning ? null : latencyMs,
    timeToFirstTokenMs: isRunning ? null : timeToFirstTokenMs,
    tokensPerSecond: isRunning
      ? null
      : tokensPerSecond({ usage: { completionTokens }, latencyMs, timeToFirstTokenMs }),
    status: isCorrected ? 'aborted' : status,
    corrected: isCorrected
      ? { completionTokens: completionTokens + 2, costMicros: costMicros + 3 }
      : undefined,
  }
}

const figureOf: { readonly [Sort in RequestSort]: (row: RequestRow) => number } = {
  time: () => 0,
  input_tokens: ({ promptTokens }) => promptTokens,
  output_tokens: ({ completionTokens }) => completionTokens,
  cost: ({ costMicros }) => costMicros ?? -1,
  speed: (row) => row.tokensPerSecond ?? -1,
  time_to_first_token: ({ timeToFirstTokenMs }) => timeToFirstTokenMs ?? -1,
}

/** The whole log as an array would have it. */
function expected({ sort, isDescending, ...filter }: Omit<RequestQuery, 'place' | 'limit'>): string[] {
  const { from, to, model, keyId, status, minCostMicros, maxCostMicros } = filter
  const rows = written.filter(
    (row) =>
      (!from || row.createdAt >= from) &&
      (!to || row.createdAt < to) &&
      (model === undefined || row.model === model) &&
      (keyId === undefined || row.keyId === keyId) &&
      (status === undefined || row.status === status) &&
      (minCostMicros === undefined || (row.costMicros !== null && row.costMicros >= minCostMicros)) &&
      (maxCostMicros === undefined || (row.costMicros !== null && row.costMicros <= maxCostMicros)),
  )
  const value = figureOf[sort]
  const way = isDescending ? -1 : 1
  const isUnknown = (row: RequestRow) => Number(value(row) === -1)
  return rows
    .toSorted(
      (one, other) =>
        isUnknown(one) - isUnknown(other) ||
        way * (value(one) - value(other)) ||
        way * (one.createdAt.getTime() - other.createdAt.getTime()) ||
        way * (one.id < other.id ? -1 : 1),
    )
    .map(({ id }) => id)
}

const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 })
const moment = fc.nat(9).map((second) => new Date(START + second * 1_000))
const cost = fc.nat(5).map(BigInt)

const query = fc.record({
  sort: fc.constantFrom(...requestSorts),
  isDescending: fc.boolean(),
  from: optional(moment),
  to: optional(moment),
  model: optional(fc.constantFrom(...MODELS, 'demo/none')),
  keyId: optional(fc.nat(1).map((index) => index as unknown)),
  status: optional(fc.constantFrom('running', 'ok', 'aborted')),
  minCostMicros: optional(cost),
  maxCostMicros: optional(cost),
})

async function walk(
  asked: Omit<RequestQuery, 'place' | 'limit'>,
  limit: number,
  isForward: boolean,
): Promise<string[]> {
  const pages: string[][] = []
  let place: RequestQuery['place'] = isForward ? 'first' : 'last'
  for (;;) {
    const page = await readRequests(sql, workspaceId, { ...asked, limit, place })
    const isAtFirst = pages.length === 0
    if (isForward) expect(page.before === undefined).toBe(isAtFirst || page.rows.length === 0)
    pages.push(page.rows.map(({ id }) => id))
    const next: Position | undefined = isForward ? page.after : page.before
    if (!next) return (isForward ? pages : pages.toReversed()).flat()
    place = isForward ? { after: next } : { before: next }
  }
}

test('every filter and sort shows, page by page and both ways, what an array would', async () => {
  await fc.assert(
    fc.asyncProperty(
      query,
      fc.integer({ min: 7, max: 60 }),
      fc.boolean(),
      async (asked, limit, isForward) => {
        const keyId = asked.keyId === undefined ? undefined : keys[asked.keyId as number]!.id
        const status = asked.status as RequestQuery['status']
        expect(await walk({ ...asked, keyId, status }, limit, isForward)).toEqual(
          expected({ ...asked, keyId, status }),
        )
      },
    ),
    { numRuns: 150 },
  )
})

test('a row has its nine values, as its correction has them', async () => {
  const { rows } = await readRequests(sql, workspaceId, {
    sort: 'time',
    isDescending: true,
    place: 'first',
    limit: ROWS,
  })
  expect(rows).toHaveLength(ROWS)
  expect(written.some(({ corrected }) => corrected)).toBe(true)
  expect(rows).toEqual(
    expected({ sort: 'time', isDescending: true }).map((id) => {
      const { workspaceId: _, corrected: __, ...row } = written.find((one) => one.id === id)!
      return row
    }),
  )
})

test('a page stays where it is while newer requests are added and running ones end', async () => {
  const account = await createAccount(sql)
  const make = (second: number, status: 'ok' | 'running') =>
    toWritten(
      {
        key: 0,
        model: 'demo/a',
        second,
        promptTokens: 1,
        completionTokens: 1,
        costMicros: 1,
        latencyMs: 10,
        timeToFirstTokenMs: 0,
        status,
        isCorrected: false,
      },
      account.workspaceId,
      { id: account.keyId, name: 'Test' },
    )
  const first = [0, 1, 2, 3, 4, 5].map((second) => make(second, second === 3 ? 'running' : 'ok'))
  await writeRequests(sql, first)
  const newest = { sort: 'time', isDescending: true, limit: 2 } as const
  const one = await readRequests(sql, account.workspaceId, { ...newest, place: 'first' })
  const running = first[3]!
  await writeRequests(sql, [make(7, 'ok'), make(8, 'running')])
  await sql`delete from holds where generation_id = ${running.id}`
  await writeRequests(sql, [{ ...running, status: 'ok', costMicros: 1, latencyMs: 10 }])
  const two = await readRequests(sql, account.workspaceId, { ...newest, place: { after: one.after! } })
  const back = await readRequests(sql, account.workspaceId, { ...newest, place: { before: two.before! } })
  expect(two.rows.map(({ id }) => id)).toEqual([running.id, first[2]!.id])
  expect(two.rows[0]!.status).toBe('ok')
  expect(back.rows.map(({ id }) => id)).toEqual(one.rows.map(({ id }) => id))
  expect(back.before).toBeDefined()
})
