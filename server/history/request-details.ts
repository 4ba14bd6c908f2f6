import type { Pricing, UsageSource } from '../metering/generation.ts'
import type { Queryable } from '../store/connection.ts'
import { type DatabaseRequestRow, type RequestRow, toRequestRow } from './request-row.ts'

/** Everything that is kept of one request, whether it runs or has ended. */
export interface RequestDetails {
  readonly row: RequestRow
  readonly endpoint: string
  /** As the backend told it; null while it runs. */
  readonly finishReason: string | null
  readonly usageSource: UsageSource | null
  /** In force when it was admitted. */
  readonly pricing: Pricing
  /** What a correction gave back. */
  readonly refundedMicros: number
  readonly settledAt: Date | null
  readonly ledgerId: string | null
  /** Wire form. */
  readonly evidenceDigest: string | null
  /** Whether the bundle of that digest is kept. */
  readonly hasBundle: boolean
}

/** A workspace's own request; another's is as unknown as one that never was. */
export async function findRequest(
  sql: Queryable,
  workspaceId: string,
  id: string,
): Promise<RequestDetails | undefined> {
  const [row] = await sql<Row[]>`
    with found as (
      select
        g.id, g.created_at, g.operation, g.streamed, g.model, g.key_id, g.prompt_tokens, g.completion_tokens,
        g.cost_micros, g.latency_ms, g.time_to_first_token_ms, g.status, g.endpoint, g.finish_reason, g.usage_source,
        g.prompt_price_micros, g.completion_price_micros, g.refunded_micros, g.settled_at, g.evidence_digest,
        l.id as ledger_id
      from generation_records g
      join ledger l on l.workspace_id = g.workspace_id and l.idempotency_key = 'generation:' || g.id
        and l.created_at between g.settled_at - interval '1 day' and g.settled_at + interval '1 day'
      where g.workspace_id = ${workspaceId} and g.id = ${id}
      union all
      select
        h.generation_id, h.created_at, h.operation, h.streamed, h.model, h.key_id, h.prompt_tokens, h.completion_tokens,
        null, null, null, 'running', h.endpoint, null, null,
        h.prompt_price_micros, h.completion_price_micros, 0, null, h.evidence_digest, null
      from holds h where h.workspace_id = ${workspaceId} and h.generation_id = ${id}
    )
    select f.*, k.name as key_name,
      exists (
        select from published_bundles p where p.endpoint = f.endpoint and p.digest = f.evidence_digest
        union all
        select from upstream_bundles u where u.upstream = f.endpoint and u.digest = f.evidence_digest
      ) as has_bundle
    from found f
    join api_keys k on k.workspace_id = ${workspaceId} and k.id = f.key_id`
  return (
    row && {
      row: toRequestRow(row),
      endpoint: row.endpoint,
      finishReason: row.finish_reason,
      usageSource: row.usage_source,
      pricing: {
        promptMicros: Number(row.prompt_price_micros),
        completionMicros: Number(row.completion_price_micros),
      },
      refundedMicros: Number(row.refunded_micros),
      settledAt: row.settled_at,
      ledgerId: row.ledger_id,
      evidenceDigest: row.evidence_digest,
      hasBundle: row.has_bundle,
    }
  )
}

interface Row extends DatabaseRequestRow {
  readonly endpoint: string
  readonly finish_reason: string | null
  readonly usage_source: UsageSource | null
  readonly prompt_price_micros: bigint
  readonly completion_price_micros: bigint
  readonly refunded_micros: bigint
  readonly settled_at: Date | null
  readonly ledger_id: string | null
  readonly evidence_digest: string | null
  readonly has_bundle: boolean
}
