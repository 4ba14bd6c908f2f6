import type postgres from 'postgres'
import type { Queryable, Sql } from '../store/connection.ts'

/** Which generations are summed up; what is left out restricts nothing. */
export interface UsageFilter {
  readonly workspaceId?: string | undefined
  readonly keyId?: string | undefined
  /** Router model id. */
  readonly model?: string | undefined
  /** Requests that arrived then or later. */
  readonly from?: Date | undefined
  /** Requests that arrived before. */
  readonly to?: Date | undefined
  /** Workspaces that live in another database, whatever lies in this one (OPS-31). */
  readonly elsewhere?: readonly string[]
}

/** Sums over generations. */
export interface UsageSums {
  readonly requests: bigint
  readonly promptTokens: bigint
  readonly completionTokens: bigint
  /** As it was debited, less what was refunded because its client never saw it. */
  readonly costMicros: bigint
  /** Of the requests: those whose tokens the router counted, because no backend reported them. */
  readonly countedRequests: bigint
  readonly countedCostMicros: bigint
}

/** The sums of one day (UTC), key and model. */
export interface UsageLine extends UsageSums {
  /** `2026-11-22`; the day on which the requests arrived. */
  readonly day: string
  readonly workspaceId: string
  readonly keyId: string
  readonly keyName: string
  readonly model: string
}

/** Lines that are in memory at once; ours. */
const BATCH = 1_000

/**
 * Reads the lines by workspace, day, key and model, and hands them over in batches, each awaited: however many there
 * are, few are in memory. All of it is one snapshot, so that the sums are the ledger's of one moment.
 */
export async function readUsage(
  sql: Sql,
  filter: UsageFilter,
  take: (lines: readonly UsageLine[]) => void | Promise<void>,
): Promise<void> {
  await sql.begin('isolation level repeatable read read only', async (snapshot) => {
    for await (const rows of usageStatement(snapshot, filter).cursor(BATCH)) await take(rows.map(toLine))
  })
}

/**
 * One workspace after the other, each by the index of its generations' times: what the others have is not looked at.
 * Exported for the test that asks the database how it goes about it.
 */
export function usageStatement(sql: Queryable, filter: UsageFilter): postgres.PendingQuery<Row[]> {
  const { workspaceId, keyId, model, from, to, elsewhere = [] } = filter
  const nothing = sql``
  return sql<Row[]>`
    select u.day, w.id as workspace_id, u.key_id, k.name as key_name, u.model, u.requests, u.prompt_tokens,
      u.completion_tokens, u.cost_micros, u.counted_requests, u.counted_cost_micros
    from workspaces w
    cross join lateral (
      select
        (g.created_at at time zone 'UTC')::date::text as day,
        g.key_id,
        g.model,
        count(*) as requests,
        sum(g.prompt_tokens)::bigint as prompt_tokens,
        sum(g.completion_tokens)::bigint as completion_tokens,
        sum(g.cost_micros)::bigint as cost_micros,
        count(*) filter (where g.usage_source = 'counted') as counted_requests,
        coalesce(sum(g.cost_micros) filter (where g.usage_source = 'counted'), 0)::bigint as counted_cost_micros
      from generation_records g
      where g.workspace_id = w.id
        ${from ? sql`and g.created_at >= ${from}` : nothing}
        ${to ? sql`and g.created_at < ${to}` : nothing}
        ${keyId === undefined ? nothing : sql`and g.key_id = ${keyId}`}
        ${model === undefined ? nothing : sql`and g.model = ${model}`}
      group by 1, 2, 3
    ) u
    join api_keys k on k.workspace_id = w.id and k.id = u.key_id
    where w.id <> all (${[...elsewhere]}::text[]) ${workspaceId === undefined ? nothing : sql`and w.id = ${workspaceId}`}
    order by w.id, u.day, u.key_id, u.model`
}

/** Nothing yet. */
export const NO_SUMS: UsageSums = {
  requests: 0n,
  promptTokens: 0n,
  completionTokens: 0n,
  costMicros: 0n,
  countedRequests: 0n,
  countedCostMicros: 0n,
}

/** Both together. */
export function addUsage(one: UsageSums, other: UsageSums): UsageSums {
  return {
    requests: one.requests + other.requests,
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    costMicros: one.costMicros + other.costMicros,
    countedRequests: one.countedRequests + other.countedRequests,
    countedCostMicros: one.countedCostMicros + other.countedCostMicros,
  }
}

interface Row {
  readonly day: string
  readonly workspace_id: string
  readonly key_id: string
  readonly key_name: string
  readonly model: string
  readonly requests: bigint
  readonly prompt_tokens: bigint
  readonly completion_tokens: bigint
  readonly cost_micros: bigint
  readonly counted_requests: bigint
  readonly counted_cost_micros: bigint
}

function toLine(row: Row): UsageLine {
  return {
    day: row.day,
    workspaceId: row.workspace_id,
    keyId: row.key_id,
    keyName: row.key_name,
    model: row.model,
    requests: row.requests,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    costMicros: row.cost_micros,
    countedRequests: row.counted_requests,
    countedCostMicros: row.counted_cost_micros,
  }
}
