import type postgres from 'postgres'
import type { Queryable } from '../store/connection.ts'

/** What a series is asked for; what is left out restricts nothing. */
export interface SeriesQuery {
  /** Of UTC. */
  readonly grain: 'hour' | 'day'
  /** Points that begin then or later. */
  readonly from: Date
  /** Points that begin before. */
  readonly to: Date
  /** One line for each of these; absent: one line for all. */
  readonly by?: 'model' | 'key' | undefined
  /** Router model id. */
  readonly model?: string | undefined
  readonly keyId?: string | undefined
}

/** What a line is about: a model, a key, or everything. */
export interface SeriesPoint {
  readonly beginsAt: Date
  /** Router model id, or id of a key; null where a line is for all. */
  readonly of: string | null
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: bigint
}

/**
 * What a workspace has used over a time, by when its requests arrived, from the sums that every settlement and every
 * correction keep: as many rows are read as there are hours or days, keys and models. Where nothing was used there is
 * no point. By time, then by line.
 */
export async function readSeries(
  snapshot: Queryable,
  workspaceId: string,
  query: SeriesQuery,
): Promise<SeriesPoint[]> {
  return (await seriesStatement(snapshot, workspaceId, query)).map(toPoint)
}

/** When a workspace first used anything, as the beginning of that hour or day; undefined: it never did. */
export async function findFirstUse(
  snapshot: Queryable,
  workspaceId: string,
  grain: SeriesQuery['grain'],
): Promise<Date | undefined> {
  const [row] = await snapshot<{ begins_at: Date }[]>`
    select begins_at from usage_totals where workspace_id = ${workspaceId} and grain = ${grain}
    order by begins_at limit 1`
  return row?.begins_at
}

/** Exported for the test that asks the database how it goes about it. */
export function seriesStatement(
  sql: Queryable,
  workspaceId: string,
  { grain, from, to, by, model, keyId }: SeriesQuery,
): postgres.PendingQuery<Row[]> {
  const none = sql``
  const of = { model: sql`u.model`, key: sql`u.key_id`, all: sql`null::text` }[by ?? 'all']
  return sql<Row[]>`
    select
      u.begins_at, ${of} as of, sum(u.requests)::bigint as requests, sum(u.prompt_tokens)::bigint as prompt_tokens,
      sum(u.completion_tokens)::bigint as completion_tokens, sum(u.cost_micros)::bigint as cost_micros
    from usage_totals u
    where u.workspace_id = ${workspaceId} and u.grain = ${grain} and u.begins_at >= ${from} and u.begins_at < ${to}
      ${model === undefined ? none : sql`and u.model = ${model}`}
      ${keyId === undefined ? none : sql`and u.key_id = ${keyId}`}
    group by 1, 2
    order by 1, 2`
}

interface Row {
  readonly begins_at: Date
  readonly of: string | null
  readonly requests: bigint
  readonly prompt_tokens: bigint
  readonly completion_tokens: bigint
  readonly cost_micros: bigint
}

function toPoint(row: Row): SeriesPoint {
  return {
    beginsAt: row.begins_at,
    of: row.of,
    requests: Number(row.requests),
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    costMicros: row.cost_micros,
  }
}
