import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../metering/testing.ts'
import type { Sql } from '../store/connection.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { ledgerStatement } from './ledger-pages.ts'
import { type RequestFilter, type RequestQuery, requestSorts } from './request-query.ts'
import { requestStatement } from './request-statement.ts'
import { fillHistory } from './testing.ts'
import { seriesStatement } from './usage-series.ts'

let server: TestServer
let sql: Sql
let workspaceId: string
let keyId: string

/** Many rows of one workspace and as many of others: none is read whole, and no planner is told to do without. */
const ROWS = 200_000

/** The part of a log that may be looked at for a page of it: what a filter lets through, sorted by something else. */
const MOST_LOOKED_AT = 0.12

beforeAll(async () => {
  server = await startTestServer()
  sql = (await server.open()).sql
  const account = await createAccount(sql)
  const other = await createAccount(sql)
  ;({ workspaceId, keyId } = account)
  await fillHistory(sql, { workspaceId, keyIds: [keyId], count: ROWS, secondsApart: 60 })
  const others = { workspaceId: other.workspaceId, keyIds: [other.keyId] }
  await fillHistory(sql, { ...others, count: 20_000, secondsApart: 600 })
  await sql`
    insert into withheld_generations (workspace_id, id, completion_tokens, cost_micros)
    select workspace_id, id, 0, 0 from generations where workspace_id = ${other.workspaceId}`
  await sql`
    insert into holds (
      workspace_id, generation_id, key_id, replica_id, amount_micros, operation, streamed, model, endpoint,
      prompt_price_micros, completion_price_micros, prompt_tokens, created_at
    )
    select workspace_id, id, key_id, 'test', 0, operation, streamed, model, endpoint, 1, 1, 1, created_at
    from generations where workspace_id = ${other.workspaceId}`
  await sql`analyze`
})

afterAll(() => server.stop())

/** A node of a plan, as the database tells it. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** All nodes of the plan by which a statement was carried out. */
async function planOf(statement: ReturnType<typeof requestStatement>): Promise<PlanNode[]> {
  const [row] = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>`
    explain (analyze, timing off, format json) ${statement}`
  const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)]
  return flatten(row!['QUERY PLAN'][0].Plan)
}

/** The most rows that any node has looked at. */
function lookedAt(nodes: readonly PlanNode[]): number {
  const sizes = nodes.map((node) => {
    const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
    return rows * (node['Actual Loops'] ?? 1)
  })
  return Math.max(...sizes)
}

/** Months without a row may be read as the database likes. */
function readWhole(nodes: readonly PlanNode[]): (string | undefined)[] {
  const small = ['workspaces', 'api_keys']
  return nodes
    .filter((node) => node['Node Type'] === 'Seq Scan' && !small.includes(node['Relation Name'] ?? ''))
    .filter((node) => lookedAt([node]) > 0)
    .map((node) => node['Relation Name'])
}

const day = { from: new Date('2026-03-01'), to: new Date('2026-03-02') }

const filters: readonly (readonly [string, () => RequestFilter])[] = [
  ['nothing', () => ({})],
  ['a day', () => day],
  ['a model', () => ({ model: 'demo/model-3' })],
  ['a model that nobody asked', () => ({ model: 'demo/none' })],
  ['a key', () => ({ keyId })],
  ['a key that is not there', () => ({ keyId: 'key_none' })],
  ['what was aborted', () => ({ status: 'aborted' })],
  ['what ended well', () => ({ status: 'ok' })],
  ['what runs', () => ({ status: 'running' })],
  ['a cost', () => ({ minCostMicros: 99_000n })],
  ['a cost that nothing had', () => ({ minCostMicros: 1_000_000n })],
]

const cases = filters.flatMap(([name, filter]) => requestSorts.map((sort) => [name, sort, filter] as const))

test.each(cases)('a page of %s by %s is read by an index', async (_, sort, filter) => {
  const middle = { value: sort === 'time' ? 0n : 1_000n, at: '2026-03-01T12:00:00.000000Z', id: 'gen-0' }
  for (const place of ['first', 'last', { after: middle }, { before: middle }] as const) {
    for (const isDescending of [true, false]) {
      const query: RequestQuery = { ...filter(), sort, isDescending, place, limit: 50 }
      const nodes = await planOf(requestStatement(sql, workspaceId, query))
      expect(readWhole(nodes)).toEqual([])
      expect(lookedAt(nodes)).toBeLessThan(ROWS * MOST_LOOKED_AT)
    }
  }
})

test.each([
  ['the whole ledger', false],
  ['what came and was corrected', true],
])('a page of %s is read by an index', async (_, isFundsOnly) => {
  for (const place of ['first', 'last', { after: 100_000n }, { before: 100_000n }] as const) {
    const nodes = await planOf(ledgerStatement(sql, workspaceId, { place, limit: 50, isFundsOnly }) as never)
    expect(readWhole(nodes)).toEqual([])
    expect(lookedAt(nodes)).toBeLessThan(200)
  }
})

test.each(['hour', 'day'] as const)('a series by the %s reads as many rows as it sums up', async (grain) => {
  const query = { grain, ...day, by: 'model' } as const
  const nodes = await planOf(seriesStatement(sql, workspaceId, query) as never)
  expect(readWhole(nodes)).toEqual([])
  expect(lookedAt(nodes)).toBeLessThanOrEqual(24 * 10)
})
