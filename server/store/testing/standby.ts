import { execFile } from 'node:child_process'
import { appendFileSync, chownSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connect, type Sql } from '../connection.ts'
import { findBinaries } from '../embedded/binaries.ts'
import { launch } from '../embedded/launch.ts'
import { findOwner } from '../embedded/owner.ts'
import { processesIn } from '../embedded/process.ts'

/** One PostgreSQL of a pair. */
export interface Server {
  /** Its own data folder. */
  readonly dir: string
  readonly url: string
  readonly sql: Sql
}

const POLL_MS = 20
const PATIENCE_MS = 120_000

/** Kept for a standby that is a little behind. */
const KEPT_LOG = '256MB'

const run = promisify(execFile)

/**
 * Makes a standby of a server that works, in a folder beside it, and has its commits wait for it: resolves
 * once nothing is acknowledged that the standby has not on its disk.
 */
export async function startStandby(primary: Server, name: string, port: number): Promise<Server> {
  const owner = await findOwner()
  const folder = dirname(primary.dir)
  const dir = join(folder, name)
  await primary.sql`alter system set wal_keep_size = ${primary.sql.unsafe(`'${KEPT_LOG}'`)}`
  await primary.sql`select pg_reload_conf()`
  await copy(primary, dir)
  const { hostname, port: from, username, password } = new URL(primary.url)
  const source = `host=${hostname} port=${from} user=${username} password=${password}`
  const line = `primary_conninfo = '${source} application_name=${name}'\n`
  appendFileSync(join(dir, 'postgresql.auto.conf'), line)
  writeFileSync(join(dir, 'standby.signal'), '')
  if (owner) {
    for (const file of ['standby.signal', 'backup_label']) chownSync(join(dir, file), owner.uid, owner.gid)
  }
  const place = { folder, databaseDir: dir }
  await launch(place, findBinaries(place, owner), owner, port)
  const url = new URL(primary.url)
  url.port = String(port)
  await primary.sql.unsafe(`alter system set synchronous_standby_names = '${name}'`)
  await primary.sql`select pg_reload_conf()`
  await untilInStep(primary, name)
  return { dir, url: url.href, sql: connect({ url: url.href, maxConnections: 4 }) }
}

/** Has it work on its own from now on, with all that it has received. */
export async function promote({ sql }: Server): Promise<void> {
  await sql`select pg_promote(true, 60)`
  await sql`alter system reset synchronous_standby_names`
  await sql`alter system reset primary_conninfo`
  await sql`select pg_reload_conf()`
}

/** Ends every process of it at once, as the loss of its machine does. */
export async function kill({ dir }: Server): Promise<void> {
  for (const pid of processesIn(dir)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
  while (processesIn(dir).length > 0) await sleep(POLL_MS)
}

/** Copies the files of a server while it works. Its log comes by the stream. */
async function copy(primary: Server, dir: string): Promise<void> {
  const own = await primary.sql.reserve()
  try {
    await own`select pg_backup_start('standby', true)`
    // Files that go away meanwhile are none that the copy needs.
    await run('cp', ['-a', primary.dir, dir]).catch(() => undefined)
    const [row] = await own<[{ labelfile: string }]>`select labelfile from pg_backup_stop(false)`
    writeFileSync(join(dir, 'backup_label'), row.labelfile)
  } finally {
    own.release()
  }
  for (const file of ['postmaster.pid', 'postmaster.opts']) rmSync(join(dir, file), { force: true })
  const log = join(dir, 'pg_wal')
  const segments = readdirSync(log, { withFileTypes: true }).filter((entry) => entry.isFile())
  for (const { name } of segments) rmSync(join(log, name))
}

async function untilInStep({ sql }: Server, name: string): Promise<void> {
  const latest = performance.now() + PATIENCE_MS
  for (;;) {
    const [row] = await sql<{ sync_state: string }[]>`
      select sync_state from pg_stat_replication where application_name = ${name}`
    if (row?.sync_state === 'sync') return
    if (performance.now() > latest) throw new Error(`The standby ${name} does not come into step.`)
    await sleep(POLL_MS)
  }
}
