import type { Sql } from '../store/connection.ts'
import type { RequestRow } from './request-row.ts'

/** A request that is written into the tables as it is, without a router. */
export interface WrittenRequest extends RequestRow {
  readonly workspaceId: string
  /** What its record said before it was corrected; undefined: it was not. */
  readonly corrected: { readonly completionTokens: number; readonly costMicros: number } | undefined
}

/** Writes records, their corrections, and holds. */
export async function writeRequests(sql: Sql, requests: readonly WrittenRequest[]): Promise<void> {
  const running = requests.filter(({ status }) => status === 'running')
  const ended = requests.filter(({ status }) => status !== 'running')
  const common = (one: WrittenRequest) => ({
    workspace_id: one.workspaceId,
    key_id: one.keyId,
    operation: one.operation,
    streamed: one.streamed,
    model: one.model,
    endpoint: 'demo',
    prompt_tokens: one.promptTokens,
    prompt_price_micros: 1,
    completion_price_micros: 1,
    created_at: one.createdAt,
  })
  const records = ended.map((one) => ({
    ...common(one),
    id: one.id,
    status: one.corrected ? 'ok' : one.status,
    completion_tokens: one.corrected?.completionTokens ?? one.completionTokens,
    cost_micros: one.corrected?.costMicros ?? one.costMicros,
    usage_source: 'backend',
    latency_ms: one.latencyMs,
    time_to_first_token_ms: one.timeToFirstTokenMs,
    settled_by: 'test',
  }))
  const holds = running.map((one) => ({
    ...common(one),
    generation_id: one.id,
    replica_id: 'test',
    amount_micros: 1,
    completion_tokens: one.completionTokens,
  }))
  const corrections = ended
    .filter(({ corrected }) => corrected)
    .map((one) => ({
      workspace_id: one.workspaceId,
      id: one.id,
      completion_tokens: one.completionTokens,
      cost_micros: one.costMicros,
    }))
  if (records.length > 0) await sql`insert into generations ${sql(records)}`
  if (corrections.length > 0) await sql`insert into withheld_generations ${sql(corrections)}`
  if (holds.length > 0) await sql`insert into holds ${sql(holds)}`
}

/**
 * Writes so many records of a workspace at once, some seconds apart from 2026 on, of the given keys and ten models, each
 * with a row of the ledger behind those that it has: no balance is moved.
 */
export async function fillHistory(sql: Sql, past: Past): Promise<void> {
  const { workspaceId, keyIds, count, secondsApart = 1 } = past
  await sql`
    insert into generations (
      workspace_id, id, key_id, operation, streamed, model, endpoint, status, prompt_tokens, completion_tokens,
      usage_source, prompt_price_micros, completion_price_micros, cost_micros, latency_ms, time_to_first_token_ms,
      settled_by, created_at
    )
    select
      ${workspaceId}::text, 'gen-' || lpad(n::text, 26, '0'),
      (${keyIds}::text[])[1 + n % ${keyIds.length}::integer], 'chat', true, 'demo/model-' || n % 10, 'demo',
      case when n % 100 = 7 then 'aborted' else 'ok' end,
      1 + n * 7919 % 4001, n * 104729 % 2003, 'backend', 150000, 600000, n * 15485863 % 100003, 40 + n * 31 % 20000,
      case when n * 7 % 11 = 0 then null else 20 + n * 17 % 3000 end, 'test',
      timestamptz '2026-01-01T00:00:00Z' + n * ${secondsApart}::double precision * interval '1 second'
    from generate_series(1, ${count}::bigint) n`
  await sql`
    insert into ledger (
      workspace_id, number, id, kind, amount_micros, balance_after_micros, description, reference, idempotency_key
    )
    select
      w.id, w.ledger_entries + n, 'led_' || n, case when n % 10000 = 0 then 'top_up' else 'generation' end, -1, 0,
      'demo/model-1', 'gen-' || lpad(n::text, 26, '0'), 'filled:' || n
    from workspaces w, generate_series(1, ${count}::bigint) n where w.id = ${workspaceId}`
  await sql`update workspaces set ledger_entries = ledger_entries + ${count} where id = ${workspaceId}`
}

/** What a workspace is given to look back on. */
export interface Past {
  readonly workspaceId: string
  readonly keyIds: string[]
  readonly count: number
  readonly secondsApart?: number
}
