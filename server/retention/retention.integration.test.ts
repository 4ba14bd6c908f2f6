import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAudit } from '../administration/audit.ts'
import { creditWorkspace } from '../administration/credit.ts'
import { readCredits } from '../history/ledger-pages.ts'
import { readSeries } from '../history/usage-series.ts'
import { silent } from '../log.ts'
import { postEntry } from '../metering/ledger.ts'
import { findGeneration } from '../metering/records.ts'
import { type Account, createAccount, finished, startMeter } from '../metering/testing.ts'
import { verifyLedger } from '../metering/verify-ledger.ts'
import type { Sql } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { detachMonth, dropMonth } from './detach-month.ts'
import { exportMonth } from './export-month.ts'
import { createKeeper } from './keeper.ts'
import { beginMonths, listMonths } from './months.ts'
import { type ClockedDatabase, closeClocked, openClocked } from './testing.ts'
import { verifyExports } from './verify-exports.ts'

const actor = { name: 'Test', through: 'command_line' } as const
let server: TestServer
let parent: string

beforeAll(async () => {
  server = await startTestServer()
  parent = mkdtempSync(join(tmpdir(), 'retention-'))
})

afterAll(async () => {
  await closeClocked()
  await server.stop()
  rmSync(parent, { recursive: true })
})

/** Two workspaces that have used something in June and in July, of 2026, as of the 15th of July. */
interface Past extends ClockedDatabase {
  readonly accounts: readonly [Account, Account]
  /** One of June's. */
  readonly generationId: string
  /** A folder of its own for exports. */
  readonly parent: string
}

async function serve(sql: Sql, account: Account, count: number): Promise<string[]> {
  const meter = await startMeter(sql)
  const ids = await Promise.all(
    Array.from({ length: count }, async () => {
      const generation = await meter.accept(account.applicant())
      await generation.settle(finished)
      return generation.id
    }),
  )
  await meter.stop()
  return ids
}

async function correct(sql: Sql, { workspaceId }: Account, id: string): Promise<void> {
  await sql`select correct_generations(
    ${[workspaceId]}::text[], ${[id]}::text[], array[0]::bigint[], array[2]::bigint[], ${[createId('led_')]}::text[]
  )`
}

const credit = { amountMicros: 7n, reason: 'Thanks', idempotencyKey: 'june' }

async function openPast(): Promise<Past> {
  const database = await openClocked(server, '2026-06-15T12:00:00Z')
  const { sql, setClock } = database
  const accounts = [await createAccount(sql), await createAccount(sql)] as const
  const [generationId, early, late] = (await serve(sql, accounts[0], 20)) as [string, string, string]
  await serve(sql, accounts[1], 3)
  await correct(sql, accounts[0], early)
  await creditWorkspace(sql, actor, { ...credit, workspaceId: accounts[0].workspaceId })
  await setClock('2026-07-15T12:00:00Z')
  await correct(sql, accounts[0], late)
  await serve(sql, accounts[0], 5)
  const own = mkdtempSync(join(parent, 'past-'))
  return { ...database, accounts, generationId, parent: own }
}

const write = (past: Past, name: string, folder = past.parent) =>
  exportMonth(past.sql, actor, { name, parent: folder })
const detach = (past: Past, name: string, folder = join(past.parent, name)) =>
  detachMonth(past.sql, actor, { name, folder })

async function expectSound(sql: Sql): Promise<void> {
  expect((await verifyLedger(sql)).differences).toEqual([])
}

test('what lies in a database of a workspace that lives elsewhere is in no export, and leaves with its month', async () => {
  const past = await openPast()
  const { sql, setClock, accounts } = past
  const elsewhere = [accounts[0].workspaceId]
  const folder = join(past.parent, '2026-06')
  const made = await exportMonth(sql, actor, { name: '2026-06', parent: past.parent, elsewhere })
  // 3 debits and a top-up of the other one.
  expect(made.totals).toMatchObject({ ledgerRows: 4n, generations: 3n, corrections: 0n })
  const books = gunzipSync(readFileSync(join(folder, 'books.ndjson.gz'))).toString('utf8')
  expect(books).toContain(accounts[1].workspaceId)
  expect(books).not.toContain(accounts[0].workspaceId)
  await expect(detachMonth(sql, actor, { name: '2026-06', folder })).rejects.toThrow('has changed since')
  await detachMonth(sql, actor, { name: '2026-06', folder, elsewhere })
  expect(await verifyLedger(sql, elsewhere)).toMatchObject({ workspaces: 1, entries: 0, differences: [] })
  await setClock('2026-08-15T12:00:00Z')
  await exportMonth(sql, actor, { name: '2026-07', parent: past.parent, elsewhere })
  expect(await verifyExports([folder, join(past.parent, '2026-07')])).toMatchObject({ findings: [] })
})

test('a workspace that begins to move while a month is exported has the export not count', async () => {
  const past = await openPast()
  const moved = () => Promise.reject(new Error('a workspace is moving'))
  const exporting = exportMonth(past.sql, actor, {
    name: '2026-06',
    parent: past.parent,
    requireStill: moved,
  })
  await expect(exporting).rejects.toThrow('a workspace is moving')
  expect((await listMonths(past.sql)).filter(({ exported }) => exported)).toEqual([])
})

const statesOf = async (sql: Sql) =>
  Object.fromEntries((await listMonths(sql)).map(({ month, state }) => [month, state]))

test('a closed month is exported, proved without the database, detached and dropped, and the books add up', async () => {
  const past = await openPast()
  const { sql, setClock, accounts, generationId } = past
  const ever = { grain: 'day', from: new Date(0), to: new Date('2100-01-01') } as const
  const series = () => readSeries(sql, accounts[0].workspaceId, ever)
  const usedBefore = await series()
  const made = await write(past, '2026-06')
  // 20 + 3 debits, two top-ups, a credit, and the refund of June.
  expect(made.totals).toMatchObject({ ledgerRows: 27n, generations: 23n, corrections: 2n })
  expect(await verifyExports([made.folder])).toMatchObject({ generations: 23n, findings: [] })
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: made.folder })
  await expectSound(sql)

  await detach(past, '2026-06')
  expect(await verifyLedger(sql)).toMatchObject({ entries: 6, generations: 5, detached_months: 1 })
  await expectSound(sql)
  expect(await series()).toEqual(usedBefore)
  expect(await findGeneration(sql, accounts[0].workspaceId, generationId)).toBeUndefined()
  for (const table of ['generations_2026_06', 'ledger_2026_06']) {
    for (const statement of [sql`delete from ${sql(table)}`, sql`truncate ${sql(table)}`]) {
      await expect(statement.execute()).rejects.toThrow('append-only')
    }
  }
  await expect(sql`update ledger_2026_06 set amount_micros = 0`.execute()).rejects.toThrow('append-only')
  await expect(sql`delete from carried_entries`.execute()).rejects.toThrow('append-only')

  // The same key again answers as before, and the next row goes on where the ledger stood.
  const again = await creditWorkspace(sql, actor, { ...credit, workspaceId: accounts[0].workspaceId })
  expect(again).toMatchObject({ amountMicros: 7n, description: 'Thanks' })
  await expect(
    creditWorkspace(sql, actor, { ...credit, amountMicros: 8n, workspaceId: accounts[0].workspaceId }),
  ).rejects.toThrow('stands for another amount')
  const repeated = { workspaceId: accounts[0].workspaceId, kind: 'top_up', description: 'x' } as const
  expect(
    await postEntry(sql, { ...repeated, amountMicros: 7n, idempotencyKey: 'credit:june' }),
  ).toMatchObject({ id: again?.id, isRepeated: true })
  await serve(sql, accounts[1], 1)
  const { page } = await readCredits(sql, accounts[1].workspaceId, { place: 'first', limit: 5 })
  expect(page.rows.map(({ number, balanceAfterMicros }) => [number, balanceAfterMicros])).toEqual([
    [5n, 5_000_000n - 4n * 23n],
  ])
  await expectSound(sql)

  await setClock('2026-08-02T12:00:00Z')
  const july = await write(past, '2026-07')
  expect(await verifyExports([july.folder, made.folder])).toMatchObject({ generations: 29n, findings: [] })
  expect(await verifyExports([july.folder])).toMatchObject({ findings: [] })
  await detach(past, '2026-07')
  await expectSound(sql)
  const dropped = { name: '2026-06', folder: made.folder }
  await dropMonth(sql, actor, dropped)
  await expect(dropMonth(sql, actor, dropped)).rejects.toThrow('not detached')
  expect(await statesOf(sql)).toMatchObject({
    '2026-06': 'dropped',
    '2026-07': 'detached',
    '2026-08': 'open',
  })
  const acts = (await listAudit(sql, { limit: 100 })).filter(({ act }) => act.startsWith('month_'))
  expect(acts.map(({ act, subject }) => [act, subject]).toReversed()).toEqual([
    ['month_exported', '2026-06'],
    ['month_detached', '2026-06'],
    ['month_exported', '2026-07'],
    ['month_detached', '2026-07'],
    ['month_dropped', '2026-06'],
  ])
})

test('what was carried forward and is changed is found', async () => {
  const past = await openPast()
  await write(past, '2026-06')
  await detach(past, '2026-06')
  const checks = async (statement: string) => {
    await past.sql.unsafe(statement)
    return [...new Set((await verifyLedger(past.sql)).differences.map(({ check }) => check))]
  }
  expect(await checks('update carried_balances set balance_micros = balance_micros + 1')).toEqual([
    'balance',
    'balance_after',
    'carried',
  ])
  expect(await checks('update carried_balances set balance_micros = balance_micros - 1')).toEqual([])
  expect(await checks(`update carried_usage set cost_micros = 0 where grain = 'day'`)).toEqual([
    'key_spent',
    'usage',
  ])
})

test('a month that is not closed, not exported or not the first is not detached', async () => {
  const past = await openPast()
  const { sql, setClock } = past
  await expect(write(past, '2026-07')).rejects.toThrow('2026-07 is not closed')
  await expect(write(past, '2026-05')).rejects.toThrow('There is no month 2026-05')
  await expect(detach(past, '2026-06')).rejects.toThrow('2026-06 is not exported')
  await setClock('2026-08-15T12:00:00Z')
  await expect(write(past, '2026-07')).rejects.toThrow('2026-06 comes first: router retention export 2026-06')
  await write(past, '2026-06')
  await expect(write(past, '2026-06')).rejects.toThrow('is there already')
  await write(past, '2026-07')
  await expect(detach(past, '2026-07')).rejects.toThrow(
    '2026-06 comes first: router retention detach 2026-06',
  )
  await expect(detach(past, '2026-06', join(past.parent, '2026-07'))).rejects.toThrow(
    'is not the last export',
  )
  expect(await statesOf(sql)).toMatchObject({ '2026-06': 'closed', '2026-07': 'closed' })
  await expectSound(sql)
})

test('a record that is corrected after the export has the month exported again, and those behind it', async () => {
  const past = await openPast()
  const { sql, setClock, accounts, generationId } = past
  await setClock('2026-08-15T12:00:00Z')
  await write(past, '2026-06')
  await write(past, '2026-07')
  await correct(sql, accounts[0], generationId)
  await expect(detach(past, '2026-06')).rejects.toThrow('has changed since it was exported')
  const anew = mkdtempSync(join(parent, 'anew-'))
  await write(past, '2026-06', anew)
  await detach(past, '2026-06', join(anew, '2026-06'))
  await expect(detach(past, '2026-07')).rejects.toThrow('2026-07 is not exported')
  await write(past, '2026-07', anew)
  await detach(past, '2026-07', join(anew, '2026-07'))
  await expectSound(sql)
  expect((await verifyExports(['2026-06', '2026-07'].map((name) => join(anew, name)))).findings).toEqual([])
  const mixed = await verifyExports([join(past.parent, '2026-06'), join(anew, '2026-07')])
  expect(mixed.findings[0]?.problem).toBe('it follows another export of 2026-06')
})

test('the same month makes the same bytes', async () => {
  const past = await openPast()
  const other = mkdtempSync(join(parent, 'other-'))
  const [one, two] = [await write(past, '2026-06'), await write(past, '2026-06', other)]
  expect(two.manifestSha256).toBe(one.manifestSha256)
  for (const file of readdirSync(one.folder)) {
    expect(readFileSync(join(two.folder, file)).equals(readFileSync(join(one.folder, file)))).toBe(true)
  }
})

test('whatever is changed in an export is found, also where its digests were made anew', async () => {
  const past = await openPast()
  const { folder } = await write(past, '2026-06')
  const books = readFileSync(join(folder, 'books.ndjson.gz'))
  const copy = join(past.parent, 'copy')
  const findingsOf = async (bytes: Buffer) => {
    cpSync(folder, copy, { recursive: true })
    writeFileSync(join(copy, 'books.ndjson.gz'), bytes)
    return (await verifyExports([copy])).findings.map(({ problem }) => problem)
  }
  // Every byte of the file counts: the header's, of the middle, of the end.
  for (const at of [9, 40, books.length >> 1, books.length - 1]) {
    const changed = Buffer.from(books)
    changed[at] = changed[at]! ^ 1
    expect(await findingsOf(changed)).not.toEqual([])
  }
  const text = gunzipSync(books).toString('utf8')
  const lines = text.trimEnd().split('\n')
  const debit = lines.findIndex((line) => line.includes('"kind":"generation"'))
  const edits: readonly (readonly [string, (line: string) => string | undefined, string])[] = [
    ['a row that is gone', () => undefined, 'it is row'],
    ['an amount', (line) => line.replace('"amount_micros":-23', '"amount_micros":-22'), 'the balance is'],
    ['a cost', (line) => line.replace('"cost_micros":23', '"cost_micros":22'), 'its cost is not'],
    [
      'a token',
      (line) => line.replace('"completion_tokens":34', '"completion_tokens":94'),
      'its cost is not',
    ],
    [
      'another record',
      (line) => line.replace('"generation":{"id":"gen-', '"generation":{"id":"gen-9'),
      'it is the debit of',
    ],
    [
      'no record',
      (line) => line.replace(/"generation":\{.*\}/, '"generation":null}'),
      'it is a debit without a record',
    ],
    [
      'another workspace',
      (line) => line.replace('"workspace_id":"ws_', '"workspace_id":"ws_9'),
      'below another workspace',
    ],
    [
      'a number that is none',
      (line) => line.replace('"latency_ms":120', '"latency_ms":1e300'),
      'a number beyond',
    ],
    ['a text that is none', () => '{', 'a line is no JSON'],
  ]
  for (const [name, edit, problem] of edits) {
    const changed = lines.flatMap((line, index) => (index === debit ? (edit(line) ?? []) : [line]))
    expect(changed, name).not.toEqual(lines)
    const problems = await findingsOf(gzipSync(`${changed.join('\n')}\n`))
    expect(problems, name).toContainEqual(expect.stringContaining(problem))
    expect(problems, name).toContain('its SHA-256 is not the manifest’s')
  }
  const sql = past.sql
  writeFileSync(join(folder, 'books.ndjson.gz'), gzipSync(text.replace('"Thanks"', '"Thankz"')))
  await expect(detach(past, '2026-06')).rejects.toThrow('is not whole')
  expect(await statesOf(sql)).toMatchObject({ '2026-06': 'closed' })
})

test('routers serve while a month is exported and detached, and nothing is lost or refused', async () => {
  const past = await openPast()
  const { sql, accounts } = past
  const meters = [await startMeter(sql), await startMeter(sql)]
  let isOver = false
  const loops = meters.flatMap((meter) =>
    accounts.map(async (account) => {
      let served = 0
      while (!isOver) {
        await (await meter.accept(account.applicant())).settle(finished)
        served++
        if (served % 20 === 0) expect((await verifyLedger(sql)).differences).toEqual([])
      }
      return served
    }),
  )
  await write(past, '2026-06')
  await detach(past, '2026-06')
  isOver = true
  const served = (await Promise.all(loops)).reduce((sum, count) => sum + count, 0)
  await Promise.all(meters.map((meter) => meter.stop()))
  expect(served).toBeGreaterThan(0)
  expect(await verifyLedger(sql)).toMatchObject({ generations: 5 + served, differences: [] })
})

test('whoever reads all months makes detaching wait, and nobody who books', async () => {
  const past = await openPast()
  const { sql, accounts } = past
  await write(past, '2026-06')
  let detaching: Promise<unknown> | undefined
  await sql.begin(async (reader) => {
    await reader`select count(*) from generations`
    detaching = detach(past, '2026-06')
    for (let waiting = 0; waiting === 0; ) {
      const [row] = await sql<{ count: bigint }[]>`
        select count(*) as count from pg_locks where mode = 'AccessExclusiveLock' and not granted`
      waiting = Number(row!.count)
    }
    await serve(sql, accounts[0], 1)
    expect(await statesOf(sql)).toMatchObject({ '2026-06': 'closed' })
  })
  await detaching
  expect(await statesOf(sql)).toMatchObject({ '2026-06': 'detached' })
  await expectSound(sql)
})

test('a detaching that dies before its end leaves all as it was, and is done again', async () => {
  const past = await openPast()
  const { sql } = past
  await write(past, '2026-06')
  await sql.unsafe(`
    create function die() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
    create trigger die after insert on audit for each statement when (pg_trigger_depth() = 0) execute function die();`)
  await expect(detach(past, '2026-06')).rejects.toThrow()
  expect(await statesOf(sql)).toMatchObject({ '2026-06': 'closed' })
  await expectSound(sql)
  await sql`drop trigger die on audit`
  await detach(past, '2026-06')
  await expectSound(sql)
})

test('what a clock that was set back books into a detached month is kept, counted and told', async () => {
  const past = await openPast()
  const { sql, setClock } = past
  await write(past, '2026-06')
  await detach(past, '2026-06')
  await setClock('2026-06-20T12:00:00Z')
  const account = await createAccount(sql)
  const [id] = await serve(sql, account, 1)
  expect(await findGeneration(sql, account.workspaceId, id!)).toMatchObject({ status: 'ok' })
  await expectSound(sql)
  const told: string[] = []
  const keeper = createKeeper({
    databases: [{ sql }],
    log: { ...silent, error: (message) => void told.push(message) },
  })
  await keeper.start()
  await keeper.stop()
  expect(told).toEqual(['records or ledger rows lie in no month'])
  await setClock('2026-08-15T12:00:00Z')
  expect(await beginMonths(sql)).toBe(2)
})
