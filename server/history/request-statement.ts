import type postgres from 'postgres'
import type { Queryable } from '../store/connection.ts'
import { isBackward, neighbourOf } from './page.ts'
import type { Position, RequestQuery, RequestSort } from './request-query.ts'
import type { DatabaseRequestRow } from './request-row.ts'

/** A row with its place in the order. */
export interface PlacedRow extends DatabaseRequestRow {
  readonly value: bigint
  readonly at: string
}

type Fragment = postgres.PendingQuery<postgres.Row[]>

/** A kind of rows: where they are, and what they are asked for there. */
interface Source {
  readonly table: Fragment
  readonly id: Fragment
  readonly completionTokens: Fragment
  readonly status: Fragment
  /** Null: not known yet. */
  readonly costMicros: Fragment | null
  readonly where: Fragment
}

/**
 * The rows of a page and one more, nearest first. Three kinds of rows are each read in order, by an index, and merged:
 * records, records that were corrected (few: each tells of an outage), and requests that still run.
 */
export function requestStatement(
  sql: Queryable,
  workspaceId: string,
  query: RequestQuery,
): postgres.PendingQuery<PlacedRow[]> {
  const sources = sourcesOf(sql, workspaceId, query)
  const union = sources
    .map((source) => sourceStatement(sql, source, query))
    .reduce((all, one) => sql`${all} union all ${one}`)
  return sql<PlacedRow[]>`
    select r.*, k.name as key_name,
      to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
    from (
      select * from (${union}) r order by ${orderOf(sql, query, sql`value`, sql`created_at`, sql`id`)}
      limit ${query.limit + 1}
    ) r
    join api_keys k on k.workspace_id = ${workspaceId} and k.id = r.key_id
    order by ${orderOf(sql, query, sql`r.value`, sql`r.created_at`, sql`r.id`)}`
}

function sourcesOf(sql: Queryable, workspaceId: string, query: RequestQuery): Source[] {
  const { status, minCostMicros, maxCostMicros } = query
  const isPriced = minCostMicros !== undefined || maxCostMicros !== undefined
  const settled: Source = {
    table: sql`generations g`,
    id: sql`g.id`,
    completionTokens: sql`g.completion_tokens`,
    status: sql`g.status`,
    costMicros: sql`g.cost_micros`,
    where: sql`g.workspace_id = ${workspaceId} and not exists (
      select from withheld_generations w where w.workspace_id = ${workspaceId} and w.id = g.id
    )${status === undefined ? sql`` : sql` and g.status = ${status}`}`,
  }
  const corrected: Source = {
    table: sql`withheld_generations w join generations g on g.workspace_id = ${workspaceId} and g.id = w.id`,
    id: sql`g.id`,
    completionTokens: sql`w.completion_tokens`,
    status: sql`'aborted'`,
    costMicros: sql`w.cost_micros`,
    where: sql`w.workspace_id = ${workspaceId}`,
  }
  const running: Source = {
    table: sql`holds g`,
    id: sql`g.generation_id`,
    completionTokens: sql`g.completion_tokens`,
    status: sql`'running'`,
    costMicros: null,
    where: sql`g.workspace_id = ${workspaceId}${isPriced ? sql` and false` : sql``}`,
  }
  return [
    ...(status === 'running' ? [] : [settled]),
    ...(status === undefined || status === 'aborted' ? [corrected] : []),
    ...(status === undefined || status === 'running' ? [running] : []),
  ]
}

/** One kind of rows in order, as many as a page can need of it. */
function sourceStatement(sql: Queryable, source: Source, query: RequestQuery): Fragment {
  const { table, id, completionTokens, status, costMicros, where } = source
  const value = sortedBy(sql, source, query.sort)
  const isRunning = costMicros === null
  const beside = neighbourOf(query.place)
  return sql`(
    select
      ${id} as id, g.created_at, g.operation, g.streamed, g.model, g.key_id, g.prompt_tokens,
      ${completionTokens} as completion_tokens, ${costMicros ?? sql`null::bigint`} as cost_micros,
      ${isRunning ? sql`null::integer` : sql`g.latency_ms`} as latency_ms,
      ${isRunning ? sql`null::integer` : sql`g.time_to_first_token_ms`} as time_to_first_token_ms,
      ${status} as status, ${value}::bigint as value
    from ${table}
    where ${where} ${filterOf(sql, costMicros, query)} ${beside ? besideOf(sql, beside, id, value, query) : sql``}
    order by ${orderOf(sql, query, value, sql`g.created_at`, id)}
    limit ${query.limit + 1}
  )`
}

function filterOf(sql: Queryable, costMicros: Fragment | null, query: RequestQuery): Fragment {
  const { from, to, model, keyId, minCostMicros, maxCostMicros } = query
  const none = sql``
  return sql`
    ${from ? sql`and g.created_at >= ${from}` : none}
    ${to ? sql`and g.created_at < ${to}` : none}
    ${model === undefined ? none : sql`and g.model = ${model}`}
    ${keyId === undefined ? none : sql`and g.key_id = ${keyId}`}
    ${minCostMicros === undefined || !costMicros ? none : sql`and ${costMicros} >= ${minCostMicros}::bigint`}
    ${maxCostMicros === undefined || !costMicros ? none : sql`and ${costMicros} <= ${maxCostMicros}::bigint`}`
}

/** What the database sorts by; its form is that of an index of migration 014. */
function sortedBy(sql: Queryable, { completionTokens, costMicros }: Source, sort: RequestSort): Fragment {
  const isRunning = costMicros === null
  switch (sort) {
    case 'time':
      return sql`0::bigint`
    case 'input_tokens':
      return sql`g.prompt_tokens`
    case 'output_tokens':
      return completionTokens
    case 'cost':
      return costMicros ?? sql`(-1)::bigint`
    case 'speed':
      return isRunning
        ? sql`(-1)::bigint`
        : sql`speed(${completionTokens}, g.latency_ms, g.time_to_first_token_ms)`
    case 'time_to_first_token':
      return isRunning ? sql`(-1)::bigint` : sql`coalesce(g.time_to_first_token_ms, -1)`
  }
}

/** Beyond a row, as seen from where the page is read from. */
function besideOf(
  sql: Queryable,
  { value: besideValue, at, id: besideId }: Position,
  id: Fragment,
  value: Fragment,
  query: RequestQuery,
): Fragment {
  const than = isFalling(query) ? sql`<` : sql`>`
  // As text, for the driver would cut a time to milliseconds.
  const moment = sql`${at}::text::timestamptz`
  return query.sort === 'time'
    ? sql`and (g.created_at, ${id}) ${than} (${moment}, ${besideId}::text)`
    : sql`and (${value}, g.created_at, ${id}) ${than} (${besideValue}::bigint, ${moment}, ${besideId}::text)`
}

/** Whether a page is read towards smaller values. */
function isFalling({ isDescending, place }: RequestQuery): boolean {
  return isDescending !== isBackward(place)
}

function orderOf(
  sql: Queryable,
  query: RequestQuery,
  value: Fragment,
  time: Fragment,
  id: Fragment,
): Fragment {
  const way = isFalling(query) ? sql`desc` : sql`asc`
  const byTime = sql`${time} ${way}, ${id} ${way}`
  // A constant would be taken for the number of a column.
  return query.sort === 'time' ? byTime : sql`${value} ${way}, ${byTime}`
}
