import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silent } from '../log.ts'
import { until } from '../metering/testing.ts'
import { connect, type Sql } from './connection.ts'
import { urlOf } from './embedded/cluster.ts'
import { findOwner } from './embedded/owner.ts'
import { findPlace } from './embedded/place.ts'
import { findPostmaster } from './embedded/postmaster.ts'
import { isAlive, processesIn } from './embedded/process.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { supervise } from './supervise.ts'

let dataDir: string
const started: Embedded[] = []
const pools: Sql[] = []

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'router-embedded-'))
})

afterEach(async () => {
  for (const sql of pools.splice(0)) await sql.end({ timeout: 1 })
  for (const embedded of started.splice(0)) {
    await embedded.stop()
    await rm(dirname(embedded.databaseDir), { recursive: true, force: true })
  }
  await rm(dataDir, { recursive: true, force: true })
})

async function start(folder = dataDir): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir: folder, log: silent })
  started.push(embedded)
  return embedded
}

function open({ url }: Embedded): Sql {
  const sql = connect({ url, maxConnections: 2 })
  pools.push(sql)
  return sql
}

function kill(embedded: Embedded): void {
  process.kill(embedded.pid()!, 'SIGKILL')
}

test('the embedded server is PostgreSQL 18 that forgets nothing and counts statements', async () => {
  const sql = open(await start())
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings
    where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses')`
  expect(Object.fromEntries(rows.map((row) => [row.name, row.setting]))).toEqual({
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    listen_addresses: '127.0.0.1',
  })
  expect((await sql`show server_version`)[0]?.server_version).toMatch(/^18\./)
  expect((await sql`select count(*) from pg_stat_statements`)[0]?.count).toBeGreaterThan(0n)
})

test('a database that its starter did not come to make is made by the next one', async () => {
  const first = await start()
  const server = connect({ url: first.url.replace(/\/router$/, '/postgres'), maxConnections: 1 })
  pools.push(server)
  await server`drop database router`
  const second = await start()
  expect(second.adopted).toBe(true)
  expect(await open(second)`select count(*) >= 0 as counts from pg_stat_statements`).toMatchObject([
    { counts: true },
  ])
})

test('a server in which no database can be made does not run on', async () => {
  const settings = { default_transaction_read_only: 'on' }
  await expect(startEmbedded({ dataDir, settings, log: silent })).rejects.toThrow('read-only')
  const embedded = await start()
  expect(embedded.adopted).toBe(false)
  expect([...(await open(embedded)`select 1 as one`)]).toEqual([{ one: 1 }])
})

test('a server that was just started, and cannot serve for a moment, is asked again', async () => {
  const settings = { default_transaction_read_only: 'on' }
  const starting = startEmbedded({ dataDir, settings, log: silent })
  const place = findPlace(dataDir, await findOwner())
  const find = () => findPostmaster(place.databaseDir)
  await until(() => find()?.isReady === true)
  const server = connect({ url: urlOf(place, find()!.port, 'postgres'), maxConnections: 1 })
  pools.push(server)
  await server`set default_transaction_read_only = off`
  await server`alter role current_user set default_transaction_read_only = off`
  const embedded = await starting
  started.push(embedded)
  expect(embedded.adopted).toBe(false)
})

test('what an interrupted first start has left is removed, and its password serves', async () => {
  await chmod(dataDir, 0o755)
  const folder = join(dataDir, 'database')
  for (const name of ['data.unfinished', 'data.unfinished.7']) {
    await mkdir(join(folder, name), { recursive: true })
    await writeFile(join(folder, name, 'PG_VERSION'), '18')
  }
  await writeFile(join(folder, 'password'), 'of-before\n', { mode: 0o600 })
  const embedded = await start()
  expect(new URL(embedded.url).password).toBe('of-before')
  expect(await open(embedded)`select 1 as one`).toMatchObject([{ one: 1 }])
  expect((await readdir(folder)).filter((name) => name.startsWith('data'))).toEqual(['data'])
})

test('it takes a password, and nobody without it gets in', async () => {
  const embedded = await start()
  const url = new URL(embedded.url)
  url.password = 'wrong'
  const stranger = connect({ url: url.href, maxConnections: 1 })
  pools.push(stranger)
  await expect(stranger`select 1`).rejects.toThrow('password authentication failed')
})

test('it is in a process group of its own, so that Ctrl-C does not reach it', async () => {
  const embedded = await start()
  const [pid, , group] = (await readFile(`/proc/${embedded.pid()}/stat`, 'latin1'))
    .replace(/\(.*\) . /, '')
    .split(' ')
  expect(group).toBe(pid)
})

test('a running server is adopted, with its data and its address', async () => {
  const first = await start()
  await open(first)`create table kept as select 1 as one`
  const second = await start()
  expect(second).toMatchObject({ adopted: true, url: first.url, databaseDir: first.databaseDir })
  expect(second.pid()).toBe(first.pid())
  expect(await open(second)`select one from kept`).toEqual([{ one: 1 }])
})

test('adopted, stopped by its starter and started again, it is stopped by whoever started it again', async () => {
  const first = await start()
  const second = await start()
  await first.stop()
  expect(await second.ensureRunning()).toBe(true)
  expect(second.adopted).toBe(false)
  expect(await first.ensureRunning()).toBe(false)
})

test('five processes’ worth of starts on an empty folder end with one server', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => start()))
  expect(new Set(all.map((embedded) => embedded.pid())).size).toBe(1)
  expect(all.filter((embedded) => !embedded.adopted)).toHaveLength(1)
})

test('after a stop it starts again on the same port with what was committed', async () => {
  const first = await start()
  await open(first)`create table kept as select 1 as one`
  await first.stop()
  expect(first.pid()).toBeUndefined()
  const second = await start()
  expect(second.url).toBe(first.url)
  expect(await open(second)`select one from kept`).toEqual([{ one: 1 }])
})

test('after kill -9 under load it comes back, orphaned backends waited out, nothing committed lost', async () => {
  const embedded = await start()
  const sql = open(embedded)
  await sql`create table counted (n integer)`
  let committed = 0
  const load = (async () => {
    for (;;) {
      await sql`insert into counted values (${committed + 1})`
      committed++
    }
  })().catch(() => {})
  const sleeper = sql`select pg_sleep(60)`.catch(() => 'gone')
  await until(() => committed > 20)
  kill(embedded)
  await load
  // A killed process is there until its parent, which is this one, has been told.
  await until(() => embedded.pid() === undefined)
  expect(await embedded.ensureRunning()).toBe(true)
  expect(await sleeper).toBe('gone')
  const [row] = await open(embedded)`select count(*)::integer from counted`
  // The last one may have been committed without its answer arriving.
  expect([committed, committed + 1]).toContain(row?.count)
})

test('a pid file that now names somebody else does not stop the next start', async () => {
  const first = await start()
  kill(first)
  await until(() => processesIn(first.databaseDir).every((pid) => !isAlive(pid)))
  const file = join(first.databaseDir, 'postmaster.pid')
  const lines = (await readFile(file, 'utf8')).split('\n')
  await writeFile(file, [String(process.pid), ...lines.slice(1)].join('\n'))
  expect(first.pid()).toBeUndefined()
  expect((await start()).adopted).toBe(false)
})

test('a supervised server that dies is back by itself, and the caller is told', async () => {
  const embedded = await start()
  let restarts = 0
  const supervisor = supervise(embedded, { log: silent, onRestart: () => restarts++, intervalMs: 20 })
  try {
    kill(embedded)
    await until(() => restarts === 1)
    expect(await open(embedded)`select 1 as one`).toEqual([{ one: 1 }])
  } finally {
    await supervisor.stop()
  }
  await embedded.stop()
  expect(embedded.pid()).toBeUndefined()
})

test('a folder that its user cannot enter is passed by, and the next start finds the same place', async () => {
  const first = await start()
  // What `mktemp -d` makes is closed to all but its owner; only root runs the database as somebody else.
  expect((await stat(dataDir)).mode & 0o077).toBe(0)
  expect(first.databaseDir.startsWith(dataDir)).toBe(process.getuid?.() !== 0)
  await first.stop()
  expect((await start()).databaseDir).toBe(first.databaseDir)
})

test('a folder that its user can enter holds the data', async () => {
  await chmod(dataDir, 0o755)
  const embedded = await start()
  expect(embedded.databaseDir).toBe(join(dataDir, 'database', 'data'))
})
