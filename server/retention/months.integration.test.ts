import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillHistory } from '../history/testing.ts'
import { silent } from '../log.ts'
import { postEntry } from '../metering/ledger.ts'
import { findGeneration, recordStatement } from '../metering/records.ts'
import { createAccount, finished, startMeter } from '../metering/testing.ts'
import { verifyLedger } from '../metering/verify-ledger.ts'
import { connect, type Sql } from '../store/connection.ts'
import { migrate } from '../store/migrations.ts'
import { startTestServer, type TestServer } from '../store/testing.ts'
import { createKeeper } from './keeper.ts'
import { beginMonths, listMonths, readProvision } from './months.ts'
import { closeClocked, openClocked } from './testing.ts'

const ours = fileURLToPath(new URL('../store/migrations', import.meta.url))
let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(async () => {
  await closeClocked()
  await server.stop()
})

const statesOf = async (sql: Sql) => (await listMonths(sql)).map(({ month, state }) => [month, state])

test('what was booked before there were months is the first one, as it lies, with its indexes', async () => {
  const sql = connect({ url: await server.createDatabase(), maxConnections: 2 })
  const folder = await mkdtemp(join(tmpdir(), 'router-migrations-'))
  try {
    for (const file of (await readdir(ours)).filter((name) => name < '016')) {
      await cp(join(ours, file), join(folder, file))
    }
    await migrate(sql, folder)
    const account = await createAccount(sql)
    const { workspaceId } = account
    const meter = await startMeter(sql)
    await (await meter.accept(account.applicant())).settle(finished)
    await fillHistory(sql, { workspaceId, keyIds: [account.keyId], count: 2_000 })
    const files = () => sql<{ file: number; indexes: number }[]>`
      select c.relfilenode as file, (select count(*)::integer from pg_index i where i.indrelid = c.oid) as indexes
      from pg_class c where c.oid in (select tableoid from generations union select tableoid from ledger)
      order by c.relname`
    const before = await files()
    await migrate(sql)
    expect(await files()).toEqual(before)
    expect((await listMonths(sql))[0]).toMatchObject({ beginsAt: null, state: 'open' })
    // The router of before goes on.
    await (await meter.accept(account.applicant())).settle(finished)
    await meter.stop()
    const [row] = await sql<{ records: bigint; entries: bigint }[]>`
      select (select count(*) from generations) as records, (select count(*) from ledger) as entries`
    expect(row).toEqual({ records: 2_002n, entries: 2_003n })
  } finally {
    await sql.end()
    await rm(folder, { recursive: true })
  }
})

test('statistics of a month are taken anew when it has doubled, whenever it was begun', async () => {
  const { sql } = await server.open(2)
  await sql`select begin_months(5)`
  const months = await sql<{ parent: string; options: string[] | null }[]>`
    select i.inhparent::regclass::text as parent, c.reloptions as options
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('generations'::regclass, 'ledger'::regclass)`
  expect(months.map(({ options }) => options)).toEqual(
    Array.from({ length: 2 * (1 + 5 + 1) }, () => ['autovacuum_analyze_scale_factor=1']),
  )
})

test('no row can be changed or taken away through any month’s table', async () => {
  const { sql } = await server.open(2)
  const account = await createAccount(sql)
  const meter = await startMeter(sql)
  await (await meter.accept(account.applicant())).settle(finished)
  await meter.stop()
  const tables = await sql<{ name: string; column: string }[]>`
    select c.relname as name, case when c.relname like 'gen%' then 'cost_micros' else 'amount_micros' end as column
    from pg_class c
    where c.oid in ('generations'::regclass, 'ledger'::regclass)
      or c.oid in (
        select inhrelid from pg_inherits where inhparent in ('generations'::regclass, 'ledger'::regclass)
      )`
  expect(tables.length).toBe(2 * (1 + 1 + 3 + 1))
  for (const { name, column } of tables) {
    for (const statement of [
      sql`delete from ${sql(name)}`,
      sql`update ${sql(name)} set ${sql(column)} = 0`,
      sql`truncate ${sql(name)}`,
      sql`merge into ${sql(name)} t using (select 1) s on true when matched then delete`,
    ]) {
      await expect(statement.execute()).rejects.toThrow('append-only')
    }
  }
  expect((await verifyLedger(sql)).differences).toEqual([])
})

test('months are begun ahead, by several routers at once, each once', async () => {
  const { sql, setClock } = await openClocked(server, '2026-06-15T12:00:00Z')
  expect(await statesOf(sql)).toEqual([
    ['2026-06', 'open'],
    ['2026-07', 'ahead'],
    ['2026-08', 'ahead'],
    ['2026-09', 'ahead'],
  ])
  await setClock('2026-08-01T12:00:00Z')
  const begun = await Promise.all([beginMonths(sql), beginMonths(sql), beginMonths(sql)])
  expect(begun.toSorted()).toEqual([0, 0, 2])
  expect(await statesOf(sql)).toEqual([
    ['2026-06', 'closed'],
    // Its end is not a day ago.
    ['2026-07', 'open'],
    ['2026-08', 'open'],
    ['2026-09', 'ahead'],
    ['2026-10', 'ahead'],
    ['2026-11', 'ahead'],
  ])
})

test('what lies in no month is kept and read, and becomes a month as it lies', async () => {
  const { sql, setClock } = await openClocked(server, '2026-06-15T12:00:00Z')
  const account = await createAccount(sql)
  await setClock('2026-12-15T12:00:00Z')
  const meter = await startMeter(sql)
  const generation = await meter.accept(account.applicant())
  await generation.settle(finished)
  await meter.stop()
  expect(await findGeneration(sql, account.workspaceId, generation.id)).toMatchObject({ status: 'ok' })
  expect((await verifyLedger(sql)).differences).toEqual([])
  expect(await readProvision(sql)).toEqual({ astray: 2, monthsAhead: 0 })

  const keeper = createKeeper({ databases: [{ sql }], log: silent })
  await keeper.start()
  await keeper.stop()
  const values = await Promise.all(keeper.metrics.map(async ({ name, read }) => [name, await read()]))
  expect(values).toEqual([
    ['router.months.ahead', [{ value: 3 }]],
    ['router.months.astray', [{ value: 0 }]],
  ])
  expect((await listMonths(sql)).map(({ month, beginsAt }) => [month, beginsAt])).toContainEqual([
    '2026-12',
    new Date('2026-10-01T00:00:00Z'),
  ])
  await expect(sql`delete from generations_2026_12`.execute()).rejects.toThrow('append-only')
  await expect(sql`truncate ledger_astray`.execute()).rejects.toThrow('append-only')
  expect(await findGeneration(sql, account.workspaceId, generation.id)).toMatchObject({ status: 'ok' })
  expect((await verifyLedger(sql)).differences).toEqual([])
})

test('a workspace’s rows stand in the order of their times, also where the clock was set back', async () => {
  const { sql, setClock } = await openClocked(server, '2026-06-30T23:59:50Z')
  const account = await createAccount(sql)
  const { workspaceId } = account
  const settle = async () => {
    const meter = await startMeter(sql)
    const { id, settle: end } = await meter.accept(account.applicant())
    await end(finished)
    await meter.stop()
    return id
  }
  await settle()
  await setClock('2026-07-01T00:00:10Z')
  await settle()
  await setClock('2026-06-30T23:59:55Z')
  const corrected = await settle()
  await postEntry(sql, { workspaceId, kind: 'top_up', amountMicros: 1n, description: 'Thanks' })
  await sql`select correct_generations(
    ${[workspaceId]}::text[], ${[corrected]}::text[], array[0]::bigint[], array[2]::bigint[], array['led_1']::text[]
  )`
  const rows = await sql<{ month: string }[]>`
    select l.tableoid::regclass::text as month from ledger l where workspace_id = ${workspaceId} order by number`
  const [june, july] = ['ledger_2026_06', 'ledger_2026_07']
  expect(rows.map(({ month }) => month)).toEqual([june, june, july, july, july, july])
  const [row] = await sql<{ apart: bigint }[]>`
    select count(*) as apart from generations g
    join ledger l on l.workspace_id = g.workspace_id and l.idempotency_key = 'generation:' || g.id
    where l.created_at <> g.settled_at`
  expect(row?.apart).toBe(0n)
  expect((await verifyLedger(sql)).differences).toEqual([])
})

test('a settlement and an admission touch no month but the one they book in', async () => {
  const { url, sql } = await server.open(4)
  const account = await createAccount(sql)
  const meter = await startMeter(sql)
  await (await meter.accept(account.applicant())).settle(finished)
  const one = connect({ url, maxConnections: 1 })
  const locked = await one.begin(async (transaction) => {
    const running = await meter.accept(account.applicant())
    await transaction`
      select * from settle_generations(
        ${meter.replica}, ${[account.workspaceId]}::text[], ${[running.id]}::text[], array['ok'], array['stop'],
        array[12]::bigint[], array[34]::bigint[], array['backend'], array[23]::bigint[], array[120], array[20],
        array[null]::timestamptz[]
      )`
    await transaction`
      select * from admit_generations(
        ${meter.replica}, 0, false, array[]::text[], array[]::text[], array[]::text[], array[]::boolean[],
        array[]::text[], array[]::text[], array[]::text[], array[]::bigint[], array[]::bigint[], array[]::bigint[],
        array[]::bigint[], array[]::timestamptz[], array[]::boolean[], array[]::integer[], array[]::bigint[],
        array[]::integer[], array[]::bigint[], array[]::timestamptz[]
      )`
    return await transaction<{ name: string }[]>`
      select distinct c.relname as name from pg_locks l join pg_class c on c.oid = l.relation
      where l.pid = pg_backend_pid() and c.relkind = 'r' and c.relname ~ '^(generations|ledger)_'`
  })
  await one.end()
  await meter.stop()
  const { month } = (await listMonths(sql))[0]!
  const suffix = month.replace('-', '_')
  expect(locked.map(({ name }) => name).toSorted()).toEqual([`generations_${suffix}`, `ledger_${suffix}`])
})

test('a record is looked for in the month of its id’s time, by an index, and in all others only then', async () => {
  const { sql } = await server.open(2)
  const account = await createAccount(sql)
  const meter = await startMeter(sql)
  const { id, settle } = await meter.accept(account.applicant())
  await settle(finished)
  await meter.stop()
  await fillHistory(sql, { workspaceId: account.workspaceId, keyIds: [account.keyId], count: 5_000 })
  await sql`analyze`
  const plan = await sql<{ 'QUERY PLAN': string }[]>`
    explain (analyze, timing off, costs off) ${recordStatement(sql, account.workspaceId, id, new Date())}`
  const lines = plan.map((row) => row['QUERY PLAN'])
  const suffix = (await listMonths(sql))[0]!.month.replace('-', '_')
  const read = lines.filter(
    (line) => / on (generations|ledger)_/.test(line) && !line.includes('never executed'),
  )
  expect(read.every((line) => line.includes(`_${suffix}`) || line.includes('_astray'))).toBe(true)
  expect(lines.filter((line) => line.includes(`Seq Scan on generations_${suffix}`))).toEqual([])
  expect(lines.filter((line) => line.includes(`Seq Scan on ledger_${suffix}`))).toEqual([])
})
