import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Sql } from '../store/connection.ts'
import type { Embedded } from '../store/embedded.ts'
import { isOutage } from '../store/outage.ts'

/** Who uses the router's own database, and how their sessions are called there. */
const NAMES = { command: 'router command', router: 'router' } as const
export type User = keyof typeof NAMES

/** How long whoever has started the database waits for other commands (ours); a router is not to stop for long. */
const PATIENCE_MS = { command: 60_000, router: 5_000 } as const
const LOOK_MS = 50

/** The address of the router's own database, under which others see who uses it. */
export function addressFor(user: User, { url }: Embedded): string {
  const address = new URL(url)
  address.searchParams.set('application_name', NAMES[user])
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
 * Stops the database that this program has started, once no command uses it any more. A command leaves it running for
 * those who still do: a router that starts beside it would fail, and one that serves would be without it for a while.
 */
export async function stopUnused(user: User, embedded: Embedded): Promise<void> {
  const sql = connect({ url: embedded.url, maxConnections: 1 })
  try {
    const untilMs = performance.now() + PATIENCE_MS[user]
    while ((await isUsedBy(sql, ['command'])) && performance.now() < untilMs) await sleep(LOOK_MS)
    if (user === 'command' && (await isUsedBy(sql, ['command', 'router']))) return
  } catch (error) {
    // It has died: nobody is there to be waited for.
    if (!isOutage(error)) throw error
  } finally {
    await sql.end({ timeout: 1 })
  }
  await embedded.stop()
}

async function isUsedBy(sql: Sql, users: readonly User[]): Promise<boolean> {
  const names = users.map((user) => NAMES[user])
  const [row] = await sql<{ isUsed: boolean }[]>`
    select exists (select from pg_stat_activity where application_name = any (${names}::text[])) as "isUsed"`
  return row!.isUsed
}
