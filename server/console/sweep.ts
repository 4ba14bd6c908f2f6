import type { Log } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import { startTicker, type Ticker } from '../store/ticker.ts'

/** How often, in milliseconds (ours). */
const SWEEP_MS = 600_000

/** Forgets what is over: codes, sessions and browsers, and events that no budget counts any more. */
export async function sweepSignIns(sql: Sql): Promise<void> {
  await sql`delete from sign_in_codes where expires_at < clock_timestamp()`
  await sql`delete from sign_in_events where at < clock_timestamp() - interval '1 day'`
  await sql`delete from known_browsers where until < clock_timestamp()`
  await sql`delete from sessions where expires_at < clock_timestamp()`
}

/** Does so every now and then. */
export function startSweeping(sql: Sql, log: Log): Ticker {
  return startTicker({
    name: 'forgetting what is over of sign-ins',
    intervalMs: SWEEP_MS,
    log,
    task: () => sweepSignIns(sql),
  })
}
