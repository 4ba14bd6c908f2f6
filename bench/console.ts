import { readCredits } from '../server/history/ledger-pages.ts'
import { requestCsv } from '../server/history/request-csv.ts'
import { readRequests } from '../server/history/request-log.ts'
import { type Position, type RequestQuery, requestSorts } from '../server/history/request-query.ts'
import { readSnapshot } from '../server/history/snapshot.ts'
import { fillHistory } from '../server/history/testing.ts'
import { readSeries, type SeriesQuery } from '../server/history/usage-series.ts'
import { createAccount } from '../server/metering/testing.ts'
import { createKey } from '../server/store/keys.ts'
import { findWorkspace } from '../server/store/workspaces.ts'
import { readArguments } from './arguments.ts'
import { startDatabase } from './database.ts'
import { medianOf } from './median.ts'

/** Milliseconds, on a machine that is left alone; what a page of the console may wait for. */
const PROMISED_MS = 300

const { rows: ROWS } = await readArguments(
  'console',
  'Measures the pages of the console for a workspace with a year of requests; exits with 1 when one takes too long.',
  { rows: ['requests of the workspace', 1_000_000] },
)
const KEYS = 20
/** A year. */
const SECONDS_APART = (365 * 86_400) / ROWS

const server = await startDatabase()
try {
  const { sql } = await server.open()
  const account = await createAccount(sql)
  const { workspaceId } = account
  const keyIds = [account.keyId]
  for (let number = 2; number <= KEYS; number++) {
    keyIds.push((await createKey(sql, workspaceId, { name: `Key ${number}` })).key.id)
  }
  const begun = performance.now()
  await fillHistory(sql, { workspaceId, keyIds, count: ROWS, secondsApart: SECONDS_APART })
  await sql`vacuum analyze`
  console.log(`${ROWS} requests of one workspace in ${Math.round((performance.now() - begun) / 1_000)} s\n`)

  const page = (query: Partial<RequestQuery>) => async () => {
    await readRequests(sql, workspaceId, {
      sort: 'time',
      isDescending: true,
      place: 'first',
      limit: 50,
      ...query,
    })
  }
  const series = (query: SeriesQuery) =>
    readSnapshot(sql, workspaceId, (snapshot) => readSeries(snapshot, workspaceId, query))
  const at = new Date('2026-07-01T00:00:00Z')
  const middle: Position = { value: 0n, at: at.toISOString(), id: 'gen-' }
  const day = { from: at, to: new Date(at.getTime() + 86_400_000) }
  const year = { from: new Date('2026-01-01'), to: new Date('2027-01-02') }
  const cases: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['the first page', page({})],
    ['the middle page', page({ place: { after: middle } })],
    ['the last page', page({ place: 'last' })],
    ...requestSorts.flatMap((sort) => [
      [`sorted by ${sort}`, page({ sort })] as const,
      [`sorted by ${sort}, the other way`, page({ sort, isDescending: false })] as const,
      [`the middle by ${sort}`, page({ sort, place: { after: { ...middle, value: 1_000n } } })] as const,
    ]),
    ['a day', page(day)],
    ['a model', page({ model: 'demo/model-3' })],
    ['a model and a day by cost', page({ model: 'demo/model-3', ...day, sort: 'cost' })],
    ['a model by cost', page({ model: 'demo/model-3', sort: 'cost' })],
    ['a key', page({ keyId: keyIds[7]! })],
    ['a key by cost', page({ keyId: keyIds[7]!, sort: 'cost' })],
    ['what was aborted', page({ status: 'aborted' })],
    ['what was aborted by cost', page({ status: 'aborted', sort: 'cost' })],
    ['a cost', page({ minCostMicros: 99_900n })],
    ['a cost that nothing had', page({ minCostMicros: 10_000_000n })],
    ['a model that nobody asked, by speed', page({ model: 'demo/none', sort: 'speed' })],
    ['usage of a year by the day', () => series({ ...year, grain: 'day' })],
    ['the same by model', () => series({ ...year, grain: 'day', by: 'model' })],
    ['the same by key', () => series({ ...year, grain: 'day', by: 'key' })],
    [
      'usage of a month by the hour and model',
      () =>
        series({
          from: at,
          to: new Date(at.getTime() + 31 * 86_400_000),
          grain: 'hour',
          by: 'model',
        }),
    ],
    ['balance and ledger', () => readCredits(sql, workspaceId, { place: 'first', limit: 50 })],
    ['the ledger’s last page', () => readCredits(sql, workspaceId, { place: 'last', limit: 50 })],
    [
      'the first rows of the CSV',
      async () => {
        const csv = requestCsv(sql, workspaceId, { sort: 'time', isDescending: true })
        await csv.next()
        await csv.next()
        await csv.return()
      },
    ],
  ]

  const baseMs = await medianOf(() => findWorkspace(sql, workspaceId))
  console.log(`| what | ms | times a look-up by primary key (${baseMs.toFixed(2)} ms) |\n|---|---|---|`)
  let slowestMs = 0
  for (const [name, task] of cases) {
    const ms = await medianOf(task)
    slowestMs = Math.max(slowestMs, ms)
    console.log(`| ${name} | ${ms.toFixed(1)} | ${(ms / baseMs).toFixed(0)} |`)
  }
  console.log(`\nThe slowest takes ${slowestMs.toFixed(1)} ms; promised are ${PROMISED_MS}.`)
  if (slowestMs > PROMISED_MS) process.exitCode = 1
} finally {
  await server.stop()
}
