import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Sql } from '../store/connection.ts'
import type { Embedded } from '../store/embedded.ts'
import { isOutage } from '../store/outage.ts'

/** How a command's sessions are called in the router's own database. */
const COMMAND = 'router command'

/** How long whoever has started the database waits for other commands, before it takes it from them (ours). */
const PATIENCE_MS = { command: 60_000, router: 5_000 } as const
const LOOK_MS = 50

/** Who uses the router's own database. */
export type User = keyof typeof PATIENCE_MS

/** The address of the router's own database, under which others see who uses it. */
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

/** Stops the database that this program has started, once no command uses it any more: of two at once, one would fail. */
export async function stopUnused(user: User, embedded: Embedded): Promise<void> {
  const sql = connect({ url: embedded.url, maxConnections: 1 })
  try {
    const untilMs = performance.now() + PATIENCE_MS[user]
    while ((await isUsed(sql)) && performance.now() < untilMs) await sleep(LOOK_MS)
  } catch (error) {
    // It has died: nobody is there to be waited for.
    if (!isOutage(error)) throw error
  } finally {
    await sql.end({ timeout: 1 })
    await embedded.stop()
  }
}

async function isUsed(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ isUsed: boolean }[]>`
    select exists (select from pg_stat_activity where application_name = ${COMMAND}) as "isUsed"`
  return row!.isUsed
}
