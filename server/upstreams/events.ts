import type { HardwareOutput, UpstreamEventOutput } from '#contract/models'
import type { Queryable } from '../store/connection.ts'

/** What an event tells; see `upstream_events`. */
export interface UpstreamEvent {
  /** When it happened; the database's time when left out. */
  readonly at?: Date
  /** Name of the upstream. */
  readonly upstream: string
  /** The router whose verdict it is about; absent for an act of an administrator. */
  readonly replica?: string
  /** The state after the change, the act, or that somebody else has answered. */
  readonly event: UpstreamEventOutput['event']
  readonly stage?: string | undefined
  readonly reason?: string | undefined
  /** Wire form. */
  readonly digest?: string | undefined
  /** What an admitting verdict saw of the hardware; absent where none is demanded. */
  readonly hardware?: HardwareOutput | undefined
}

/** An event as it stands. */
export interface StoredEvent {
  readonly number: bigint
  readonly at: Date
  readonly upstream: string
  readonly replica: string | null
  readonly event: UpstreamEventOutput['event']
  readonly stage: string | null
  readonly reason: string | null
  readonly digest: string | null
  readonly hardware: HardwareOutput | null
}

/** Appends an event; nothing ever changes it (VERD-28). */
export async function appendEvent(
  sql: Queryable,
  { at, upstream, replica, event, stage, reason, digest, hardware }: UpstreamEvent,
): Promise<void> {
  await sql`
    insert into upstream_events (at, upstream, replica, event, stage, reason, digest, hardware)
    values (coalesce(${at ?? null}::timestamptz, clock_timestamp()), ${upstream}, ${replica ?? null}, ${event},
      ${stage ?? null}, ${reason ?? null}, ${digest ?? null},
      ${hardware ? sql.json({ ...hardware }) : null})`
}

/** The newest events first, of one upstream or of all. */
export async function listEvents(
  sql: Queryable,
  { upstream, limit }: { readonly upstream?: string | undefined; readonly limit: number },
): Promise<StoredEvent[]> {
  return await sql<StoredEvent[]>`
    select number, at, upstream, replica, event, stage, reason, digest, hardware from upstream_events
    where ${upstream ?? null}::text is null or upstream = ${upstream ?? null}
    order by number desc limit ${limit}`
}

/** Some of an upstream's events, the newest first, behind the one of this number. */
export async function listEventPage(
  sql: Queryable,
  upstream: string,
  { after, limit }: { readonly after: bigint | undefined; readonly limit: number },
): Promise<StoredEvent[]> {
  return await sql<StoredEvent[]>`
    select number, at, upstream, replica, event, stage, reason, digest, hardware from upstream_events
    where upstream = ${upstream} ${after === undefined ? sql`` : sql`and number < ${after}`}
    order by number desc limit ${limit}`
}
