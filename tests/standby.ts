import { execFile } from 'node:child_process'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { connect } from '../server/store/connection.ts'
import { findBinaries } from '../server/store/embedded/binaries.ts'
import { launch } from '../server/store/embedded/launch.ts'
import { findOwner } from '../server/store/embedded/owner.ts'
import { findPlace } from '../server/store/embedded/place.ts'
import { choosePort } from '../server/store/embedded/port.ts'
import { findPostmaster } from '../server/store/embedded/postmaster.ts'
import { isAlive, processesIn } from '../server/store/embedded/process.ts'
import { migrate } from '../server/store/migrations.ts'
import { startTestServer } from '../server/store/testing.ts'

/** A PostgreSQL and one that follows it: no commit is answered that the second does not have on disk. */
export interface PrimaryAndStandby {
  /** Names both; whoever connects is brought to the one that takes writes. */
  readonly url: string
  /** Of the second alone. */
  readonly standbyUrl: string
  /** Ends the first at once, and has the second take its place. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

const run = promisify(execFile)
const PATIENCE_MS = 60_000

/** Starts both on a database with all tables. */
export async function startPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  const primary = await startTestServer()
  const primaryUrl = await primary.createDatabase()
  const [sql, owner] = [connect({ url: primaryUrl, maxConnections: 1 }), await findOwner()]
  await migrate(sql)
  await sql.end()

  const folder = await mkdtemp(join(tmpdir(), 'router-standby-'))
  await run('chmod', ['755', folder])
  const place = findPlace(folder, owner)
  // A stopped server's files are a whole backup; `pg_basebackup` does not come with the embedded one.
  await primary.embedded.stop()
  await run('mkdir', ['-p', place.folder])
  await run('cp', ['-a', primary.embedded.databaseDir, place.databaseDir])
  const { hostname: host, port, username: user, password } = new URL(primaryUrl)
  const settings = join(place.databaseDir, 'postgresql.auto.conf')
  await appendFile(
    settings,
    `primary_conninfo = 'host=${host} port=${port} user=${user} password=${password}'\n`,
  )
  await writeFile(join(place.databaseDir, 'standby.signal'), '')
  await appendFile(
    join(primary.embedded.databaseDir, 'postgresql.auto.conf'),
    `synchronous_standby_names = '*'\n`,
  )
  await primary.embedded.ensureRunning()
  const ownPort = await choosePort(place, undefined)
  await launch(place, findBinaries(place, owner), owner, ownPort)
  const standbyUrl = Object.assign(new URL(primaryUrl), { port: String(ownPort) }).href
  await following(primaryUrl)

  return {
    url: `${primaryUrl.replace(`:${port}/`, `:${port},${host}:${ownPort}/`)}?target_session_attrs=read-write`,
    standbyUrl,
    async failOver() {
      const { databaseDir } = primary.embedded
      for (const pid of processesIn(databaseDir)) process.kill(pid, 'SIGKILL')
      await vi.waitUntil(() => !processesIn(databaseDir).some(isAlive), PATIENCE_MS)
      const standby = connect({ url: standbyUrl, maxConnections: 1 })
      await standby`select pg_promote()`
      await standby.end()
    },
    async stop() {
      for (const pid of processesIn(place.databaseDir)) process.kill(pid, 'SIGKILL')
      await vi.waitUntil(() => findPostmaster(place.databaseDir) === undefined, PATIENCE_MS)
      await rm(folder, { recursive: true, force: true })
      await primary.stop()
    },
  }
}

/** Resolves when each commit waits for the standby, and comes back. */
async function following(url: string): Promise<void> {
  const sql = connect({ url, maxConnections: 1 })
  await vi.waitUntil(
    async () => (await sql`select from pg_stat_replication where sync_state = 'sync'`).length > 0,
    PATIENCE_MS,
  )
  await sql.end()
}
