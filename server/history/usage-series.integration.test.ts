import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { costMicros } from '../metering/price.ts'
import { type Account, createAccount, finished, pricing, startMeter } from '../metering/testing.ts'
import { verifyLedger } from '../metering/verify-ledger.ts'
import type { Sql } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { readSeries, type SeriesPoint, type SeriesQuery } from './usage-series.ts'

let server: TestServer
let sql: Sql

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  sql = (await server.open()).sql
})

const HOUR_MS = 3_600_000
const START = Date.parse('2026-03-30T21:30:00Z')
const ever = { from: new Date(0), to: new Date('2100-01-01') }

/** One request of random traffic: whose, when, how it ends. */
const traffic = fc.array(
  fc.record({
    account: fc.nat(1),
    model: fc.constantFrom('demo/a', 'demo/b'),
    hours: fc.nat(30),
    promptTokens: fc.nat(1_000),
    completionTokens: fc.nat(1_000),
    end: fc.constantFrom('ok', 'aborted', 'corrected', 'reaped'),
  }),
  { minLength: 40, maxLength: 40 },
)

/** Nothing but its prompt had been delivered. */
async function correct({ workspaceId }: Account, id: string, promptTokens: number): Promise<void> {
  const cost = costMicros({ promptTokens, completionTokens: 0 }, pricing)
  await sql`select correct_generations(
    ${[workspaceId]}::text[], ${[id]}::text[], array[0]::bigint[], array[${cost}]::bigint[], ${[createId('led_')]}::text[]
  )`
}

/** The same sums from the records themselves. */
async function summed(account: Account, { grain, by, from, to }: SeriesQuery): Promise<SeriesPoint[]> {
  const of = { model: sql`model`, key: sql`key_id`, all: sql`null::text` }[by ?? 'all']
  const rows = await sql`
    select date_trunc(${grain}::text, created_at, 'UTC') as at, ${of} as of, count(*)::integer as requests,
      sum(prompt_tokens)::integer as prompt, sum(completion_tokens)::integer as completion,
      sum(cost_micros)::bigint as cost
    from generation_records
    where workspace_id = ${account.workspaceId} and created_at >= ${from} and created_at < ${to}
    group by 1, 2 order by 1, 2`
  return rows.map((row) => ({
    beginsAt: row.at,
    of: row.of,
    requests: row.requests,
    promptTokens: row.prompt,
    completionTokens: row.completion,
    costMicros: row.cost,
  }))
}

test('after random traffic with aborts, reapings and corrections the sums are those of records and ledger', async () => {
  const accounts = [await createAccount(sql), await createAccount(sql)]
  const meter = await startMeter(sql)
  const [requests] = fc.sample(traffic, 1)
  await Promise.all(
    requests!.map(async ({ account: index, model, hours, promptTokens, completionTokens, end }) => {
      const account = accounts[index]!
      const createdAt = new Date(START + hours * HOUR_MS)
      const generation = await meter.accept(account.applicant({ model, createdAt, promptBoundTokens: 2_000 }))
      const usage = { promptTokens, completionTokens }
      if (end === 'reaped') {
        // As another router would.
        const cost = costMicros({ promptTokens, completionTokens: 0 }, pricing)
        await sql`select * from settle_generations(
          'rep_other', ${[account.workspaceId]}::text[], ${[generation.id]}::text[], array['aborted'], array[null]::text[],
          array[${promptTokens}]::bigint[], array[0]::bigint[], array['counted'], array[${cost}]::bigint[], array[1]::integer[],
          array[null]::integer[], array[null]::timestamptz[]
        )`
        await expect(generation.settle({ ...finished, usage })).rejects.toMatchObject({ reason: 'reaped' })
        return
      }
      await generation.settle({ ...finished, usage, status: end === 'aborted' ? 'aborted' : 'ok' })
      if (end !== 'corrected') return
      await correct(account, generation.id, promptTokens)
      await correct(account, generation.id, promptTokens)
    }),
  )
  await meter.stop()

  for (const account of accounts) {
    for (const grain of ['hour', 'day'] as const) {
      for (const by of ['model', 'key', undefined] as const) {
        const query = { ...ever, grain, by }
        expect(await readSeries(sql, account.workspaceId, query)).toEqual(await summed(account, query))
      }
      const points = await readSeries(sql, account.workspaceId, { ...ever, grain })
      const [ledger] = await sql<{ spent: bigint }[]>`
        select -sum(amount_micros)::bigint as spent from ledger
        where workspace_id = ${account.workspaceId} and kind in ('generation', 'refund')`
      expect(points.reduce((sum, { costMicros }) => sum + costMicros, 0n)).toBe(ledger!.spent)
    }
  }
  expect(await verifyLedger(sql)).toMatchObject({ differences: [] })
})

test('a series keeps to its time, its model and its key, and shows nobody else’s', async () => {
  const account = await createAccount(sql)
  const meter = await startMeter(sql)
  const settle = async (who: Account, model: string, at: string) =>
    (await meter.accept(who.applicant({ model, createdAt: new Date(at) }))).settle(finished)
  await settle(account, 'demo/a', '2026-03-30T23:59:59.999Z')
  await settle(account, 'demo/a', '2026-03-31T00:00:00.000Z')
  await settle(account, 'demo/b', '2026-03-31T05:00:00.000Z')
  await settle(await createAccount(sql), 'demo/a', '2026-03-31T05:00:00.000Z')
  await meter.stop()

  const day = { grain: 'day', from: new Date('2026-03-31'), to: new Date('2026-04-01') } as const
  const read = async (query: SeriesQuery) =>
    (await readSeries(sql, account.workspaceId, query)).map(({ beginsAt, of, requests }) => [
      beginsAt.toISOString(),
      of,
      requests,
    ])
  expect(await read(day)).toEqual([['2026-03-31T00:00:00.000Z', null, 2]])
  expect(await read({ ...day, model: 'demo/b', by: 'key' })).toEqual([
    ['2026-03-31T00:00:00.000Z', account.keyId, 1],
  ])
  expect(await read({ ...day, grain: 'hour', by: 'model' })).toEqual([
    ['2026-03-31T00:00:00.000Z', 'demo/a', 1],
    ['2026-03-31T05:00:00.000Z', 'demo/b', 1],
  ])
  expect(await read({ ...day, keyId: 'key_other' })).toEqual([])
})
