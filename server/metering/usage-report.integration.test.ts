import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { type Account, createAccount, finished, startMeter } from './testing.ts'
import {
  addUsage,
  NO_SUMS,
  readUsage,
  type UsageFilter,
  type UsageLine,
  usageStatement,
} from './usage-report.ts'
import { verifyLedger } from './verify-ledger.ts'

let server: TestServer
let sql: Sql
let account: Account

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  sql = (await server.open()).sql
  account = await createAccount(sql, { balanceMicros: 1_000_000_000n })
})

async function read(filter: UsageFilter = {}): Promise<UsageLine[]> {
  const lines: UsageLine[] = []
  await readUsage(sql, filter, (batch) => void lines.push(...batch))
  return lines
}

/** Writes so many records of an account, an hour apart from `start` on, without a ledger: for reading alone. */
async function fill(account: Account, count: number, start = '2026-01-01T00:00:00Z'): Promise<void> {
  await sql`
    insert into generations (
      workspace_id, id, key_id, operation, streamed, model, endpoint, status, prompt_tokens, completion_tokens,
      usage_source, prompt_price_micros, completion_price_micros, cost_micros, latency_ms, settled_by, created_at
    )
    select ${account.workspaceId}::text, 'gen-' || n, ${account.keyId}::text, 'chat', false, 'm' || n % 2, 'demo', 'ok', 3, 2,
      case when n % 3 = 0 then 'counted' else 'backend' end, 1, 1, 5, 1, 'test',
      ${start}::timestamptz + n * interval '1 hour'
    from generate_series(0, ${count - 1}::integer) n`
}

test('the sums of all lines are those of the ledger, corrected records and their refunds too', async () => {
  const meter = await startMeter(sql, { timers: { outageMs: 300 } })
  const other = await createAccount(sql, { balanceMicros: 1_000_000n })
  for (const [who, model, outcome] of [
    [account, 'a', finished],
    [account, 'b', { ...finished, usageSource: 'counted' as const }],
    [
      account,
      'a',
      { ...finished, status: 'aborted' as const, usage: { promptTokens: 5, completionTokens: 0 } },
    ],
    [other, 'a', { ...finished, usageSource: 'bounded' as const }],
  ] as const) {
    await (await meter.accept(who.applicant({ model }))).settle(outcome)
  }
  const withheld = await meter.accept(account.applicant({ model: 'a' }))
  await sql.begin(async (transaction) => {
    await transaction`select from workspaces where id = ${account.workspaceId} for update`
    await expect(withheld.settle({ ...finished, timeToFirstTokenMs: null })).rejects.toMatchObject({
      reason: 'unavailable',
    })
  })
  await meter.drain()
  await meter.stop()

  const lines = await read()
  const sums = lines.reduce(addUsage, NO_SUMS)
  const [ledger] = await sql<{ spent: bigint }[]>`
    select -sum(amount_micros)::bigint as spent from ledger where kind in ('generation', 'refund')`
  expect(sums.costMicros).toBe(ledger!.spent)
  expect(sums).toMatchObject({ requests: 5n, countedRequests: 1n, countedCostMicros: 23n })
  expect(lines.map(({ workspaceId, model, requests }) => [workspaceId, model, requests])).toEqual([
    [account.workspaceId, 'a', 3n],
    [account.workspaceId, 'b', 1n],
    [other.workspaceId, 'a', 1n],
  ])
  expect(await verifyLedger(sql)).toMatchObject({ differences: [] })
})

test('a day is one of UTC, and the time that is asked for begins with its first moment and ends before its last', async () => {
  await fill(account, 73, '2026-01-30T23:00:00Z')
  expect((await read()).map(({ day }) => day)).toEqual([
    '2026-01-30',
    ...['2026-01-31', '2026-02-01', '2026-02-02'].flatMap((day) => [day, day]),
  ])
  const from = new Date('2026-01-31T00:00:00Z')
  const to = new Date('2026-02-01T00:00:00Z')
  const january = await read({ from, to })
  expect(january.map(({ day, model, requests }) => [day, model, requests])).toEqual([
    ['2026-01-31', 'm0', 12n],
    ['2026-01-31', 'm1', 12n],
  ])
  expect(january[0]).toMatchObject({
    workspaceId: account.workspaceId,
    keyId: account.keyId,
    keyName: 'Test',
    promptTokens: 36n,
    completionTokens: 24n,
    costMicros: 60n,
    countedRequests: 4n,
    countedCostMicros: 20n,
  })
})

test.each<[string, (account: Account) => UsageFilter, number]>([
  ['workspace', ({ workspaceId }) => ({ workspaceId }), 20],
  ['key', ({ keyId }) => ({ keyId }), 20],
  ['model', () => ({ model: 'm1' }), 20],
  ['model that is not there', () => ({ model: 'm2' }), 0],
])('one %s can be asked for', async (_, filterOf, requests) => {
  await fill(account, 20)
  await fill(await createAccount(sql), 20)
  expect((await read(filterOf(account))).reduce(addUsage, NO_SUMS).requests).toBe(BigInt(requests))
})

test('more lines than one batch holds are handed over in several, in order', async () => {
  await fill(account, 30_000)
  const sizes: number[] = []
  const lines: UsageLine[] = []
  await readUsage(sql, {}, (batch) => {
    sizes.push(batch.length)
    lines.push(...batch)
  })
  expect(lines).toHaveLength(2_500)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000)
  expect(lines.map(({ day }) => day)).toEqual(lines.map(({ day }) => day).toSorted())
})

test.each<[string, (account: Account) => UsageFilter]>([
  ['a workspace', ({ workspaceId }) => ({ workspaceId })],
  ['all workspaces', () => ({})],
])(
  'the usage of %s over a day is read by the index of its times, and nothing is read whole',
  async (_, who) => {
    for (let customer = 0; customer < 10; customer++) await fill(await createAccount(sql), 5_000)
    await sql`analyze`
    const filter = { ...who(account), from: new Date('2026-02-01'), to: new Date('2026-02-02') }
    const plan = await sql<{ 'QUERY PLAN': string }[]>`explain ${usageStatement(sql, filter)}`
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    // Months without a row may be read as the database likes.
    const [month] = await sql<
      { table: string }[]
    >`select distinct tableoid::regclass::text as table from generations`
    expect(text).toMatch(new RegExp(`(Index Scan using|Bitmap Index Scan on) ${month?.table}_time`))
    expect(text).not.toContain(`Seq Scan on ${month?.table}`)
  },
)
