import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Sql } from './connection.ts'
import { isMigrated } from './migrated.ts'

/** Any constant: whoever migrates this product's tables takes the lock of this number. */
export const LOCK = 7_205_759_403_792_793n

/** Whoever stops in the midst of it, or loses their machine, keeps every table locked no longer than this (ours). */
const IDLE_MS = 30_000

/**
 * Whoever waits for a table has everybody wait who comes later, though they only read it, and a backup reads every table
 * for hours: it is given up soon, and tried again (ours).
 */
const LOCK_MS = 500
const PAUSE_MS = 1_000
const TRIES = 300
const LOCKED = '55P03'

const FOLDER = fileURLToPath(new URL('migrations', import.meta.url))
const TABLE = 'router_migrations'

/**
 * Brings the tables up to date, or leaves everything as it was. All of it is one transaction under one lock, so
 * several routers may start at once on an empty database, and a pooler in transaction mode may stand between.
 * Refuses a database whose migrations differ from ours. Resolves how many were applied.
 */
export async function migrate(sql: Sql, folder: string = FOLDER): Promise<number> {
  if (await isMigrated(sql, TABLE, folder)) return 0
  for (let left = TRIES; ; left--) {
    try {
      return await migrateOnce(sql, folder)
    } catch (cause) {
      if ((cause as { code?: string }).code !== LOCKED) throw cause
      if (left === 1) throw new Error('Somebody uses the tables without a pause: try again later.', { cause })
      await sleep(PAUSE_MS)
    }
  }
}

async function migrateOnce(sql: Sql, folder: string): Promise<number> {
  const { default: Postgrator } = await import('postgrator')
  return await sql.begin(async (transaction) => {
    await transaction`select set_config('idle_in_transaction_session_timeout', ${String(IDLE_MS)}, true)`
    await transaction`select pg_advisory_xact_lock(${LOCK})`
    await transaction`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`
    const postgrator = new Postgrator({
      driver: 'pg',
      schemaTable: TABLE,
      migrationPattern: `${folder}/*.sql`,
      newline: 'LF',
      execQuery: async (query) => ({ rows: await transaction.unsafe(query) }),
    })
    const applied = await postgrator.migrate()
    await refuseNewer(postgrator)
    return applied.length
  })
}

/** An older program must not write to tables that it does not know. */
async function refuseNewer(postgrator: {
  getDatabaseVersion(): Promise<number>
  getMaxVersion(): Promise<number>
}): Promise<void> {
  const [database, ours] = [await postgrator.getDatabaseVersion(), await postgrator.getMaxVersion()]
  if (database > ours) throw new Error(`The database is at version ${database}, this program knows ${ours}`)
}
