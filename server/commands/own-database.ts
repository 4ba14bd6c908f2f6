import { setTimeout as sleep } from 'node:timers/promises'
import { ulid } from 'ulid'
import { connect, type Sql } from '../store/connection.ts'
import type { Embedded } from '../store/embedded.ts'
import { isOutage } from '../store/outage.ts'
import { within } from '../store/retry.ts'

/** How the sessions of commands are called in the router's own database, before what tells each command's from others'. */
const COMMAND = 'router command'

/** How long whoever has started the database waits for other commands (OPS-32); a router is not to stop for long. */
const PATIENCE_MS = { command: 60_000, router: 5_000 } as const
const LOOK_MS = 50

/**
 * How long whoever has connected and is nobody yet is waited for (ours), which is as long as a command has to connect; one
 * that comes later starts the database again (`reach`). And how long the database may take to tell who is there.
 */
const ANONYMOUS_MS = 3_000
const ANSWER_MS = 3_000

/** Who uses the router's own database. */
export type User = keyof typeof PATIENCE_MS

/** How the sessions of one user are called, and of no other. */
export function sessionsFor(user: User): string {
  return user === 'command' ? `${COMMAND} ${ulid()}` : `router ${ulid()}`
}

/** The address of the router's own database for sessions that are called so. */
export function addressFor({ url }: Embedded, sessions: string): string {
  const address = new URL(url)
  address.searchParams.set('application_name', sessions)
  return address.href
}

/**
 * Asks for a first answer. A command that has started the database may have stopped it in between: it is started again, unless
 * this one stops itself.
 */
export async function reach(
  sql: Sql,
  embedded: Embedded | undefined,
  isStopping: () => boolean = () => false,
): Promise<void> {
  try {
    await sql`select 1`
  } catch (error) {
    if (!embedded || !isOutage(error) || isStopping()) throw error
    await embedded.ensureRunning()
    await sql`select 1`
  }
}

/**
 * Stops the database that this program has started, once no command uses it any more (OPS-32). A command leaves it running for
 * those who still do: a router that starts beside it would fail, and one that serves would be without it for a while.
 */
export async function stopUnused(user: User, embedded: Embedded, sessions: string): Promise<void> {
  const sql = connect({ url: addressFor(embedded, sessions), maxConnections: 1 })
  const beganMs = performance.now()
  const isWithin = (limitMs: number) => performance.now() < beganMs + limitMs
  let others: readonly string[] = []
  const isAwaited = () => others.some(isCommand) && isWithin(PATIENCE_MS[user])
  try {
    const isNeeded = async () => {
      others = await findOthers(sql, embedded, sessions, isWithin(ANONYMOUS_MS))
      return isAwaited() || (user === 'command' && others.length > 0)
    }
    while (!(await embedded.stopUnless(isNeeded)) && isAwaited()) await sleep(LOOK_MS)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function isCommand(name: string): boolean {
  return name.startsWith(COMMAND)
}

/**
 * The names of other sessions; those of this user, called `sessions`, may end a moment after their connections. What has no
 * database yet has just come, and may be a command: but whoever reaches the port can leave it at that. None once the server
 * has died, as nobody is there to be waited for; one that has no room, or no time, has others.
 */
async function findOthers(
  sql: Sql,
  embedded: Embedded,
  sessions: string,
  withAnonymous: boolean,
): Promise<readonly string[]> {
  try {
    const asked = sql<{ name: string | null }[]>`
      select case when datname is not null then application_name end as name from pg_stat_activity
      where backend_type = 'client backend' and coalesce(datname, current_database()) = current_database()
        and application_name <> ${sessions}`
    const rows = await within(asked, ANSWER_MS)
    return rows.flatMap(({ name }) => name ?? (withAnonymous ? COMMAND : []))
  } catch (error) {
    if (!isOutage(error)) throw error
    return embedded.pid() === undefined ? [] : [COMMAND]
  }
}
