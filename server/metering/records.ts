import type postgres from 'postgres'
import type { Operation } from '../operation.ts'
import type { Queryable } from '../store/connection.ts'
import { timeOf } from '../store/ids.ts'
import type { Pricing, Usage, UsageSource } from './generation.ts'

/** The record of one generation together with its ledger row; never any content (GEN-06). */
export interface GenerationRecord {
  readonly id: string
  readonly workspaceId: string
  readonly keyId: string
  readonly operation: Operation
  readonly streamed: boolean
  readonly model: string
  readonly endpoint: string
  readonly evidenceDigest: string | null
  readonly status: 'ok' | 'aborted'
  readonly finishReason: string | null
  readonly usage: Usage
  readonly usageSource: UsageSource
  readonly pricing: Pricing
  readonly costMicros: number
  readonly latencyMs: number
  readonly timeToFirstTokenMs: number | null
  readonly createdAt: Date
  readonly ledger: { readonly id: string; readonly amountMicros: number }
}

/** A workspace's own generation; another's is as unknown as one that never was. */
export async function findGeneration(
  sql: Queryable,
  workspaceId: string,
  id: string,
): Promise<GenerationRecord | undefined> {
  const arrivedAt = timeOf(id)
  const [near] = arrivedAt ? await recordStatement(sql, workspaceId, id, arrivedAt) : []
  const [row] = near ? [near] : await recordStatement(sql, workspaceId, id)
  return row && toRecord(row)
}

/**
 * Without `arrivedAt` every month is looked through. Exported for the test that asks the database how it goes about it.
 */
export function recordStatement(
  sql: Queryable,
  workspaceId: string,
  id: string,
  arrivedAt?: Date,
): postgres.PendingQuery<Row[]> {
  const bounds = arrivedAt && [-DAY_MS, DAY_MS].map((ms) => new Date(arrivedAt.getTime() + ms))
  return sql<Row[]>`
    select g.*, l.id as ledger_id, l.amount_micros + g.refunded_micros as amount_micros
    from generation_records g
    join ledger l on l.workspace_id = g.workspace_id and l.idempotency_key = 'generation:' || g.id
      -- What was booked before months were is some milliseconds apart.
      and l.created_at between g.settled_at - interval '1 day' and g.settled_at + interval '1 day'
    where g.workspace_id = ${workspaceId} and g.id = ${id}
      ${bounds ? sql`and g.settled_at between ${bounds[0]!} and ${bounds[1]!}` : sql``}`
}

/** Nearly every record is booked within a day of its request, by whichever clocks (ours). */
const DAY_MS = 86_400_000

interface Row {
  readonly id: string
  readonly workspace_id: string
  readonly key_id: string
  readonly operation: Operation
  readonly streamed: boolean
  readonly model: string
  readonly endpoint: string
  readonly evidence_digest: string | null
  readonly status: 'ok' | 'aborted'
  readonly finish_reason: string | null
  readonly prompt_tokens: bigint
  readonly completion_tokens: bigint
  readonly usage_source: UsageSource
  readonly prompt_price_micros: bigint
  readonly completion_price_micros: bigint
  readonly cost_micros: bigint
  readonly latency_ms: number
  readonly time_to_first_token_ms: number | null
  readonly created_at: Date
  readonly ledger_id: string
  readonly amount_micros: bigint
}

function toRecord(row: Row): GenerationRecord {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    keyId: row.key_id,
    operation: row.operation,
    streamed: row.streamed,
    model: row.model,
    endpoint: row.endpoint,
    evidenceDigest: row.evidence_digest,
    status: row.status,
    finishReason: row.finish_reason,
    usage: { promptTokens: Number(row.prompt_tokens), completionTokens: Number(row.completion_tokens) },
    usageSource: row.usage_source,
    pricing: {
      promptMicros: Number(row.prompt_price_micros),
      completionMicros: Number(row.completion_price_micros),
    },
    costMicros: Number(row.cost_micros),
    latencyMs: row.latency_ms,
    timeToFirstTokenMs: row.time_to_first_token_ms,
    createdAt: row.created_at,
    ledger: { id: row.ledger_id, amountMicros: Number(row.amount_micros) },
  }
}
