import { execFile, spawn } from 'node:child_process'
import { appendFileSync, chownSync, closeSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connect, type Sql } from '../../server/store/connection.ts'
import { findBinaries } from '../../server/store/embedded/binaries.ts'
import { findOwner } from '../../server/store/embedded/owner.ts'
import { findPlace } from '../../server/store/embedded/place.ts'

/** One PostgreSQL of a pair. */
export interface Server {
  /** Its own data folder. */
  readonly dir: string
  readonly url: string
  readonly sql: Sql
}

const POLL_MS = 50
const PATIENCE_MS = 120_000

/** Kept for a standby that is a little behind. */
const KEPT_LOG = '256MB'

const run = promisify(execFile)

/**
 * Makes a standby of a server that works, and has its commits wait for it: resolves once nothing is acknowledged that
 * the standby has not on its disk.
 */
export async function startStandby(
  primary: Server,
  dataDir: string,
  name: string,
  port: number,
): Promise<Server> {
  const owner = await findOwner()
  const place = findPlace(dataDir, owner)
  const dir = join(place.folder, name)
  await primary.sql`alter system set wal_keep_size = ${primary.sql.unsafe(`'${KEPT_LOG}'`)}`
  await primary.sql`select pg_reload_conf()`
  await copy(primary, dir)
  const { hostname, port: from, username, password } = new URL(primary.url)
  const source = `host=${hostname} port=${from} user=${username} password=${password} application_name=${name}`
  appendFileSync(join(dir, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  writeFileSync(join(dir, 'standby.signal'), '')
  if (owner) {
    for (const file of ['standby.signal', 'backup_label']) chownSync(join(dir, file), owner.uid, owner.gid)
  }
  const output = openSync(join(place.folder, 'postgres.log'), 'a')
  const { postgres } = findBinaries(place, owner)
  const child = spawn(postgres, ['-D', dir, ...flagsOf(port)], {
    ...owner,
    cwd: place.folder,
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  child.unref()
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

/** Copies the files of a server while it works. Its log comes by the stream. */
async function copy(primary: Server, dir: string): Promise<void> {
  const own = await primary.sql.reserve()
  try {
    await own`select pg_backup_start('faults', true)`
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

function flagsOf(port: number): string[] {
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'on',
    synchronous_commit: 'on',
    hot_standby: 'on',
    max_connections: '100',
    shared_preload_libraries: 'pg_stat_statements',
    timezone: 'UTC',
    log_min_error_statement: 'panic',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
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
