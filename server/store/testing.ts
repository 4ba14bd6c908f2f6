import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silent } from '../log.ts'
import { connect, type Sql } from './connection.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { migrate } from './migrations.ts'

/** A real PostgreSQL server for one test file. */
export interface TestServer {
  readonly embedded: Embedded
  /** A new, empty database of its own; resolves its address. */
  createDatabase(): Promise<string>
  /** A new database with all tables, and a pool on it that `stop` closes. */
  open(maxConnections?: number): Promise<{ url: string; sql: Sql }>
  /** Stops the server and removes everything it wrote. */
  stop(): Promise<void>
}

type Settings = Readonly<Record<string, string>>

/** Only a machine that loses its power would show a difference; a disk that others use as well would be waited for. */
export const HASTY: Settings = { fsync: 'off', full_page_writes: 'off' }

/** What has to be so for a figure to be of answers that are on the disk. */
export const DURABLE: Settings = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }

/** Starts a server in a folder of its own: each test file has one, each test its own database. What is measured is durable. */
export async function startTestServer(settings: Settings = HASTY): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'router-test-'))
  await chmod(dataDir, 0o755)
  const embedded = await startEmbedded({ dataDir, settings, log: silent })
  const admin = connect({ url: embedded.url, maxConnections: 1 })
  const pools: Sql[] = [admin]

  async function createDatabase(): Promise<string> {
    const name = `test_${randomBytes(6).toString('hex')}`
    await admin`create database ${admin(name)}`
    const url = new URL(embedded.url)
    url.pathname = name
    return url.href
  }

  return {
    embedded,
    createDatabase,
    async open(maxConnections) {
      const url = await createDatabase()
      const sql = connect({ url, ...(maxConnections === undefined ? {} : { maxConnections }) })
      pools.push(sql)
      await migrate(sql)
      return { url, sql }
    },
    async stop() {
      await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })))
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
      await rm(join(embedded.databaseDir, '..'), { recursive: true, force: true })
    },
  }
}

/**
 * From when it resolves, each commit on the whole server stands still after its last statement, with all written and
 * nothing to be seen of it, as on a disk that hangs: it waits for a standby that does not exist. The result lets them
 * through again.
 */
export async function stallCommits({ embedded }: TestServer): Promise<() => Promise<void>> {
  const admin = connect({ url: embedded.url, maxConnections: 2 })
  const probe = `stall_${randomBytes(6).toString('hex')}`
  await admin`alter system set synchronous_standby_names = 'nobody'`
  await admin`select pg_reload_conf()`
  // The setting is taken up in its time: commits are tried until one stands still.
  let standing: Promise<unknown> = Promise.resolve()
  for (let attempt = 0, stands = false; !stands; attempt++) {
    let isOver = false
    standing = admin`create table ${admin(`${probe}_${attempt}`)} ()`.then(() => {
      isOver = true
    })
    while (!isOver && !stands) {
      const waiting =
        await admin`select from pg_stat_activity where wait_event = 'SyncRep' and query ~ ${probe}`
      stands = waiting.length > 0
    }
  }
  return async () => {
    await admin`alter system reset synchronous_standby_names`
    await admin`select pg_reload_conf()`
    await standing
    await admin.end()
  }
}
