import { execFile } from 'node:child_process'
import { readFileSync, rmSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { silent } from '../../server/log.ts'
import { connect, type Sql } from '../../server/store/connection.ts'
import { processesIn } from '../../server/store/embedded/process.ts'
import { startEmbedded } from '../../server/store/embedded.ts'
import { migrate } from '../../server/store/migrations.ts'
import { startSwitch } from '../../tests/switch.ts'
import type { Folder } from './folder.ts'
import { type Seat, signal } from './seat.ts'

/** The database of the stack: PostgreSQL, and the network before it. */
export interface Database extends Seat {
  /** For the routers; leads through the network. */
  readonly url: string
  /** Of the run's own looks; leads straight to PostgreSQL. */
  readonly sql: Sql
  /** Where `sql` leads. */
  readonly directUrl: string
  /** All that PostgreSQL writes: its files and its log. */
  readonly home: string
  /** Its files. */
  readonly dir: string
  /** Has new connections of the routers go to another PostgreSQL. */
  leadTo(port: number): void
  /** Destroys each connection of the routers; new ones are taken. */
  cutConnections(): void
  /** Has commits wait for a standby that nobody runs, as on a disk that hangs; the result lets them through. */
  stallCommits(): Promise<() => Promise<void>>
  /** Takes up what its disk has left; the result gives it back. */
  fillDisk(): Promise<() => void>
  /** Of a pair: the primary's machine is lost, and the standby takes its place; the result makes a new standby. */
  failOver?(): Promise<() => Promise<void>>
}

const RETRY_MS = 200
const PATIENCE_MS = 120_000

const run = promisify(execFile)

/** Starts it empty, with all tables. */
export async function startDatabase(folder: Folder): Promise<Database> {
  const embedded = await startEmbedded({ dataDir: folder.database, log: silent })
  const { databaseDir } = embedded
  const network = await startSwitch(Number(new URL(embedded.url).port))
  const sql = connect({ url: embedded.url, maxConnections: 4 })
  await migrate(sql)
  const url = new URL(embedded.url)
  url.port = String(network.port)
  const filler = join(folder.database, 'filler')

  async function ensureRunning(): Promise<void> {
    const latest = performance.now() + PATIENCE_MS
    for (;;) {
      try {
        await embedded.ensureRunning()
        await sql`select 1`
        return
      } catch (error) {
        if (performance.now() > latest) throw error
        await sleep(RETRY_MS)
      }
    }
  }

  return {
    name: 'database',
    url: url.href,
    sql,
    directUrl: embedded.url,
    home: dirname(databaseDir),
    dir: databaseDir,
    leadTo: network.leadTo,
    get pid() {
      return embedded.pid()
    },
    async kill() {
      const pid = embedded.pid()
      signal(pid, 'SIGKILL')
      while (pid !== undefined && embedded.pid() === pid) await sleep(RETRY_MS)
    },
    pause() {
      for (const pid of processesIn(databaseDir)) signal(pid, 'SIGSTOP')
    },
    resume() {
      for (const pid of processesIn(databaseDir)) signal(pid, 'SIGCONT')
    },
    ensureRunning,
    cutConnections: () => network.drop(),
    stallCommits: () => stallCommits(sql),
    async fillDisk() {
      await fill(filler)
      // Segments of its log that lie ready hide for a while that there is no room: it has to begin a new one.
      void switchSegment(sql).then(() => switchSegment(sql))
      return () => empty(filler)
    },
    log: () => readFileSync(join(dirname(databaseDir), 'postgres.log'), 'utf8'),
    async stop() {
      await sql.end({ timeout: 1 })
      await network.close()
      await embedded.stop()
    },
  }
}

async function stallCommits(sql: Sql): Promise<() => Promise<void>> {
  await sql`alter system set synchronous_standby_names = 'nobody'`
  await sql`select pg_reload_conf()`
  return async () => {
    await sql`alter system reset synchronous_standby_names`
    await sql`select pg_reload_conf()`
  }
}

async function switchSegment(sql: Sql): Promise<void> {
  await sql`select pg_switch_wal()`.catch(() => undefined)
}

/** Once for what is left, and once more for what PostgreSQL gave back meanwhile. */
const FILLS = 2

async function fill(file: string): Promise<void> {
  for (let time = 0; time < FILLS; time++) {
    const { bavail, bsize } = statfsSync(dirname(file))
    if (bavail > 0)
      await run('fallocate', ['-l', String(bavail * bsize), `${file}-${time}`]).catch(() => undefined)
  }
}

function empty(file: string): void {
  for (let time = 0; time < FILLS; time++) rmSync(`${file}-${time}`, { force: true })
}
