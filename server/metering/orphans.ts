import { type KeyRates, type KeyRatesRow, toKeyRates } from '../limits/key-rates.ts'
import type { Sql } from '../store/connection.ts'
import type { Pricing } from './generation.ts'
import type { LeaseOptions } from './lease.ts'
import { toMilliseconds } from './milliseconds.ts'

/** A hold that nobody will settle any more. */
export interface Orphan {
  readonly workspaceId: string
  readonly generationId: string
  /** Whose buckets its usage is taken from, with the limits of now. */
  readonly key: KeyRates
  readonly pricing: Pricing
  /** The router's own count of the prompt. */
  readonly promptTokens: number
  /** As of the last checkpoint. */
  readonly completionTokens: number
  /** From the request's arrival to the last sign of life of its router. */
  readonly latencyMs: number
}

/** Orphans in one go, ours; more wait for the next look. */
const MAX_ORPHANS = 500

/** How long a lapsed router is remembered, so that a statement of it that ends late is still noticed; ours. */
const FORGET_AFTER = '1 hour'

/**
 * Holds of other routers whose lease has lapsed, provided that this one has been in contact with the database for
 * a whole lease without a gap: an outage of the database lapses everybody's lease and must reap nobody.
 */
export async function findLapsed({ sql, replica, leaseMs }: LeaseOptions): Promise<Orphan[]> {
  const rows = await sql<Row[]>`
    with clock as (select clock_timestamp() as now, ${leaseMs} * interval '1 millisecond' as lease)
    select h.*, k.requests_per_minute, k.tokens_per_minute,
      w.requests_per_minute as workspace_requests_per_minute, w.tokens_per_minute as workspace_tokens_per_minute,
      extract(epoch from r.renewed_at - h.created_at)::double precision * 1000 as latency_ms
    from clock
    join replicas self on self.id = ${replica}
      and self.in_contact_since < now - lease
      and self.renewed_at > now - lease / 2
    join replicas r on r.id <> self.id and r.lapses_at < now
    join holds h on h.replica_id = r.id and h.placed_at < now - lease
    join api_keys k on k.workspace_id = h.workspace_id and k.id = h.key_id
    join workspaces w on w.id = h.workspace_id
    limit ${MAX_ORPHANS}`
  return rows.map(toOrphan)
}

/** Holds of this router; those that it does not know belong to an admission whose answer was lost. */
export async function findOwn(sql: Sql, replica: string): Promise<Orphan[]> {
  const rows = await sql<Row[]>`
    select h.*, k.requests_per_minute, k.tokens_per_minute,
      w.requests_per_minute as workspace_requests_per_minute, w.tokens_per_minute as workspace_tokens_per_minute,
      extract(epoch from clock_timestamp() - h.created_at)::double precision * 1000 as latency_ms
    from holds h
    join api_keys k on k.workspace_id = h.workspace_id and k.id = h.key_id
    join workspaces w on w.id = h.workspace_id
    where h.replica_id = ${replica}`
  return rows.map(toOrphan)
}

/** Removes routers that have long been gone and left nothing. */
export async function forgetReplicas(sql: Sql): Promise<void> {
  await sql`
    delete from replicas r
    where r.lapses_at < clock_timestamp() - ${FORGET_AFTER}::interval
      and not exists (select from holds h where h.replica_id = r.id)`
}

interface Row extends KeyRatesRow {
  readonly generation_id: string
  readonly prompt_price_micros: bigint
  readonly completion_price_micros: bigint
  readonly prompt_tokens: bigint
  readonly completion_tokens: bigint
  readonly latency_ms: number
}

function toOrphan(row: Row): Orphan {
  return {
    workspaceId: row.workspace_id,
    generationId: row.generation_id,
    key: toKeyRates(row),
    pricing: {
      promptMicros: Number(row.prompt_price_micros),
      completionMicros: Number(row.completion_price_micros),
    },
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    latencyMs: toMilliseconds(row.latency_ms),
  }
}
