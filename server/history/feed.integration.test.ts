import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Log, silent } from '../log.ts'
import { postEntry } from '../metering/ledger.ts'
import { type Account, createAccount, finished, startMeter } from '../metering/testing.ts'
import type { Sql } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import type { Balance } from './balance.ts'
import { createFeed, type Feed } from './feed.ts'
import type { RequestRow } from './request-row.ts'

let server: TestServer
let sql: Sql
let account: Account
let feed: Feed
let warnings: string[]
let sessions: Set<string>

const INTERVAL_MS = 20

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

beforeEach(async () => {
  sql = (await server.open()).sql
  account = await createAccount(sql)
  warnings = []
  sessions = new Set(['ses_1'])
  const log: Log = { ...silent, warn: (message) => void warnings.push(message) }
  feed = createFeed({ sql, log, openSessions: async () => sessions, intervalMs: INTERVAL_MS })
})

afterEach(() => feed.stop())

/** Notes what a watcher is told. */
function watch({ workspaceId }: Account, sessionId = 'ses_1') {
  const balances: Balance[] = []
  const rows: RequestRow[] = []
  const ends: boolean[] = []
  const outages: Date[] = []
  const stop = feed.watch(
    { workspaceId, sessionId },
    {
      away: () => void outages.push(new Date()),
      balance: (balance) => void balances.push(balance),
      request: (row) => void rows.push(row),
      end: (isSessionOver) => void ends.push(isSessionOver),
    },
  )
  return { balances, rows, ends, outages, stop, of: (id: string) => rows.filter((row) => row.id === id) }
}

test('a request of any router is told when it begins, goes on and ends, once each, and the balance with it', async () => {
  const seen = watch(account)
  await vi.waitUntil(() => seen.balances.length > 0)
  expect(seen.balances).toEqual([{ balanceMicros: 5_000_000n, heldMicros: 0n }])
  // The feed is told nothing by the meter: it may be another router's.
  const meter = await startMeter(sql)
  const generation = await meter.accept(account.applicant())
  await vi.waitUntil(() => seen.of(generation.id).length === 1)
  expect(seen.rows[0]).toMatchObject({
    status: 'running',
    keyName: 'Test',
    costMicros: null,
    promptTokens: 12,
  })
  await sql`update holds set completion_tokens = 7`
  await vi.waitUntil(() => seen.of(generation.id).length === 2)
  expect(seen.rows[1]).toMatchObject({ status: 'running', completionTokens: 7 })
  await generation.settle(finished)
  await vi.waitUntil(() => seen.of(generation.id).length === 3)
  await meter.stop()

  expect(seen.rows[2]).toMatchObject({
    status: 'ok',
    costMicros: 23,
    promptTokens: 12,
    completionTokens: 34,
    timeToFirstTokenMs: 20,
    latencyMs: 120,
  })
  expect(seen.rows).toHaveLength(3)
  expect(seen.balances.at(-1)).toEqual({ balanceMicros: 4_999_977n, heldMicros: 0n })
})

test('a correction is told as the record then reads, and credit as a balance', async () => {
  const meter = await startMeter(sql)
  const generation = await meter.accept(account.applicant())
  await generation.settle(finished)
  await meter.stop()
  const seen = watch(account)
  await vi.waitUntil(() => seen.balances.length === 1)
  // What was there before is read with a page of the log.
  expect(seen.rows).toEqual([])
  await sql`select correct_generations(
    ${[account.workspaceId]}::text[], ${[generation.id]}::text[], array[0]::bigint[], array[2]::bigint[],
    ${[createId('led_')]}::text[]
  )`
  await vi.waitUntil(() => seen.rows.length === 1)
  expect(seen.rows[0]).toMatchObject({ id: generation.id, status: 'aborted', costMicros: 2 })
  const { workspaceId } = account
  await postEntry(sql, { workspaceId, kind: 'top_up', amountMicros: 1n, description: 'One' })
  await vi.waitUntil(() => seen.balances.at(-1)?.balanceMicros === 4_999_999n)
})

test('who comes later is told all that runs; nobody is told of another’s workspace', async () => {
  const other = await createAccount(sql)
  const meter = await startMeter(sql)
  const [own, foreign] = [await meter.accept(account.applicant()), await meter.accept(other.applicant())]
  const [first, stranger] = [watch(account), watch(other)]
  await vi.waitUntil(() => first.rows.length > 0 && stranger.rows.length > 0)
  const second = watch(account)
  await vi.waitUntil(() => second.rows.length > 0)
  await own.settle(finished)
  await vi.waitUntil(() => first.rows.length === 2 && second.rows.length === 2)
  await foreign.settle(finished)
  await vi.waitUntil(() => stranger.rows.length === 2)
  await meter.stop()
  expect(new Set([...first.rows, ...second.rows].map(({ id }) => id))).toEqual(new Set([own.id]))
  expect(new Set(stranger.rows.map(({ id }) => id))).toEqual(new Set([foreign.id]))
})

test('more than one look holds is told in the order in which it ended, and nothing twice', async () => {
  const seen = watch(account)
  await vi.waitUntil(() => seen.balances.length > 0)
  const ids = Array.from({ length: 2_500 }, () => createId('gen-'))
  await sql.begin(async (transaction) => {
    await transaction`
      insert into holds (
        workspace_id, generation_id, key_id, replica_id, amount_micros, operation, streamed, model, endpoint,
        prompt_price_micros, completion_price_micros, prompt_tokens, created_at
      )
      select ${account.workspaceId}::text, id, ${account.keyId}::text, 'test', 0, 'chat', false, 'm', 'demo', 0, 0, 1, now()
      from unnest(${ids}::text[]) id`
    await transaction`
      select from (select array_agg(id) as ids, count(*)::integer as n from unnest(${ids}::text[]) id) a,
      lateral settle_generations(
        'test', array_fill(${account.workspaceId}::text, array[n]), ids, array_fill('ok'::text, array[n]),
        array_fill(null::text, array[n]), array_fill(1::bigint, array[n]), array_fill(0::bigint, array[n]),
        array_fill('counted'::text, array[n]), array_fill(0::bigint, array[n]), array_fill(1, array[n]),
        array_fill(null::integer, array[n]), array_fill(null::timestamptz, array[n])
      )`
  })
  await vi.waitUntil(() => seen.rows.length >= ids.length)
  expect(seen.rows.map(({ id }) => id)).toEqual(ids.toSorted())
})

test('while the database is away nothing is told, and afterwards all of it', async () => {
  const seen = watch(account)
  const meter = await startMeter(sql)
  const generation = await meter.accept(account.applicant())
  await vi.waitUntil(() => seen.rows.length === 1)
  await generation.settle(finished)
  process.kill(server.embedded.pid()!, 'SIGKILL')
  await vi.waitUntil(() => warnings.length > 0)
  expect(seen.outages).toHaveLength(1)
  const told = seen.balances.length
  await server.embedded.ensureRunning()
  await vi.waitUntil(() => seen.of(generation.id).at(-1)?.status === 'ok')
  expect(seen.balances.length).toBeGreaterThan(told)
  expect(seen.outages).toHaveLength(1)
  await meter.stop()
  expect(warnings).toEqual(['what happens in workspaces cannot be told'])
})

test('a database that never answers is told as away, and holds up no stop', async () => {
  const log: Log = { ...silent, warn: (message) => void warnings.push(message) }
  const mute = { begin: () => new Promise<never>(() => {}) } as unknown as Sql
  const waiting = createFeed({ sql: mute, log, openSessions: async () => sessions })
  const ends: boolean[] = []
  const { workspaceId } = account
  waiting.watch(
    { workspaceId, sessionId: 'ses_1' },
    { balance() {}, request() {}, away() {}, end: (isSessionOver) => void ends.push(isSessionOver) },
  )
  await waiting.stop()
  expect(ends).toEqual([false])
  expect(warnings).toEqual(['what happens in workspaces cannot be told'])
})

test('while nobody watches, the database is not asked', async () => {
  const looks = vi.spyOn(sql, 'begin')
  const seen = watch(account)
  await vi.waitUntil(() => seen.balances.length > 0)
  seen.stop()
  expect(feed.watchers).toBe(0)
  const before = looks.mock.calls.length
  for (let interval = 0; interval < 10; interval++) await sleep(INTERVAL_MS)
  expect(looks.mock.calls.length).toBeLessThanOrEqual(before + 1)
})

test('a watcher is told when its session is over, or when the router stops, and nothing afterwards', async () => {
  sessions.add('ses_2')
  const [one, other] = [watch(account), watch(account, 'ses_2')]
  await vi.waitUntil(() => one.balances.length > 0 && other.balances.length > 0)
  sessions.delete('ses_2')
  await vi.waitUntil(() => other.ends.length > 0)
  const { workspaceId } = account
  await postEntry(sql, { workspaceId, kind: 'top_up', amountMicros: 1n, description: 'One' })
  await vi.waitUntil(() => one.balances.length === 2)
  await feed.stop()
  expect([one.ends, other.ends]).toEqual([[false], [true]])
  expect(other.balances).toHaveLength(1)
})
