import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../conformance/testing/ports.ts'
import { findPostmaster } from '../../server/store/embedded/postmaster.ts'
import { processesIn } from '../../server/store/embedded/process.ts'
import { kill, promote, type Server, startStandby } from '../../server/store/testing/standby.ts'
import { type Database, startDatabase } from './database.ts'
import type { Folder } from './folder.ts'
import { signal } from './seat.ts'

const POLL_MS = 20
const PATIENCE_MS = 120_000

/**
 * Starts the database as a pair: a primary, and a standby in step with it, that takes its place when the primary's
 * machine is lost. Then a new standby is made of the one that works.
 */
export async function startReplicated(folder: Folder): Promise<Database> {
  const first = await startDatabase(folder)
  let primary: Server = { dir: first.dir, url: first.directUrl, sql: first.sql }
  let standby: Server | undefined
  let count = 0

  async function ensureStandby(): Promise<void> {
    if (standby) return
    count += 1
    standby = await startStandby(primary, `standby_${count}`, await freePort())
    await expectDurable(standby)
  }

  await expectDurable(primary)
  await ensureStandby()
  return {
    ...first,
    get sql() {
      return primary.sql
    },
    get dir() {
      return primary.dir
    },
    get pid() {
      return findPostmaster(primary.dir)?.pid
    },
    async failOver() {
      if (!standby) throw new Error('There is no standby yet.')
      const [lost, next] = [primary, standby]
      standby = undefined
      await kill(lost)
      first.cutConnections()
      await promote(next)
      primary = next
      first.leadTo(Number(new URL(next.url).port))
      await lost.sql.end({ timeout: 1 })
      return async () => {
        rmSync(lost.dir, { recursive: true, force: true })
        await ensureStandby()
      }
    },
    kill: () => kill(primary),
    pause() {
      for (const pid of processesIn(primary.dir)) signal(pid, 'SIGSTOP')
    },
    resume() {
      for (const pid of processesIn(primary.dir)) signal(pid, 'SIGCONT')
    },
    async ensureRunning() {
      const latest = performance.now() + PATIENCE_MS
      while (!(await answers(primary))) {
        if (performance.now() > latest) throw new Error('The database that took over does not answer.')
        await sleep(POLL_MS)
      }
    },
    log: () => readFileSync(join(first.home, 'postgres.log'), 'utf8'),
    async stop() {
      for (const server of [standby, primary]) {
        if (server) await kill(server)
      }
      await standby?.sql.end({ timeout: 1 })
      await primary.sql.end({ timeout: 1 })
      await first.stop()
    },
  }
}

async function answers({ sql }: Server): Promise<boolean> {
  return await sql`select 1`.then(
    () => true,
    () => false,
  )
}

/** What is acknowledged is on disk: without this a failover would show nothing. */
async function expectDurable({ sql }: Server): Promise<void> {
  const [row] = await sql<[{ fsync: string; commit: string }]>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`
  if (row.fsync !== 'on' || row.commit !== 'on') throw new Error('The database does not write durably.')
}
