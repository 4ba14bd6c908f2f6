import type { Sql } from '../store/connection.ts'

/** How long a lease lasts. */
export interface LeaseOptions {
  readonly sql: Sql
  readonly replica: string
  readonly leaseMs: number
}

/**
 * Renews a router's lease on its holds, by the database's clock alone. More than half a lease without a renewal is
 * a gap in its contact: from then on it has to be in contact for one whole lease before it may judge others.
 * Renewals come every quarter of a lease, so no lease lapses in a gap of less than half of one. Resolves what that
 * clock showed.
 */
export async function renewLease({ sql, replica, leaseMs }: LeaseOptions): Promise<Date> {
  const [row] = await sql<[{ renewed_at: Date }]>`
    with clock as (select clock_timestamp() as now)
    insert into replicas as r (id, in_contact_since, renewed_at, lapses_at)
    select ${replica}, now, now, now + ${leaseMs} * interval '1 millisecond' from clock
    on conflict (id) do update set
      in_contact_since = case
        when r.renewed_at < excluded.renewed_at - ${leaseMs} * interval '0.5 milliseconds'
        then excluded.renewed_at else r.in_contact_since
      end,
      renewed_at = excluded.renewed_at,
      lapses_at = excluded.lapses_at
    returning renewed_at`
  return row.renewed_at
}

/** Ends a lease at once: whatever this router may have left behind need not wait for it to lapse. */
export async function endLease(sql: Sql, replica: string): Promise<void> {
  await sql`update replicas set lapses_at = clock_timestamp() where id = ${replica}`
}
