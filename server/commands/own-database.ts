import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Sql } from '../store/connection.ts'
import type { Embedded } from '../store/embedded.ts'
import { isOutage } from '../store/outage.ts'

/** How a command's sessions are called in the router's own database. */
const COMMAND = 'router command'

/** How long whoever has started the database waits for other commands (OPS-32); a router is not to stop for long. */
const PATIENCE_MS = { command: 60_000, router: 5_000 } as const
const LOOK_MS = 50

/** Who uses the router's own database. */
export type User = keyof typeof PATIENCE_MS

/** The address of the router's own database, under which a command is known there. */
export function addressFor(user: User, { url }: Embedded): string {
  if (user === 'router') return url
  const address = new URL(url)
  address.searchParams.set('application_name', COMMAND)
  return address.href
}

/** Asks for a first answer. A command that has started the database may have stopped it in between: it is started again. */
export async function reach(sql: Sql, embedded: Embedded | undefined): Promise<void> {
  try {
    await sql`select 1`
  } catch (error) {
    if (!embedded || !isOutage(error)) throw error
    await embedded.ensureRunning()
    await sql`select 1`
  }
}

/**
 * Stops the database that this program has started, once no command uses it any more (OPS-32). A command leaves it running for
 * those who still do: a router that starts beside it would fail, and one that serves would be without it for a while.
 */
export async function stopUnused(user: User, embedded: Embedded): Promise<void> {
  const sql = connect({ url: embedded.url, maxConnections: 1 })
  try {
    const untilMs = performance.now() + PATIENCE_MS[user]
    let others = await findOthers(sql)
    for (; others.includes(COMMAND) && performance.now() < untilMs; others = await findOthers(sql))
      await sleep(LOOK_MS)
    if (user === 'command' && others.length > 0) return
  } catch (error) {
    // It has died: nobody is there to be waited for.
    if (!isOutage(error)) throw error
  } finally {
    await sql.end({ timeout: 1 })
  }
  await embedded.stop()
}

/** The names of other sessions. */
async function findOthers(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select application_name as name from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
  return rows.map(({ name }) => name)
}
