import type postgres from 'postgres'
import type { Queryable } from '../store/connection.ts'
import { isBackward, neighbourOf } from './page.ts'
import type { Position, RequestQuery } from './request-query.ts'
import type { DatabaseRequestRow } from './request-row.ts'
import { type Fragment, type Source, sourcesOf } from './request-sources.ts'

/** A row with its place in the order. */
export interface PlacedRow extends DatabaseRequestRow {
  readonly value: bigint
  readonly at: string
}

/** Where a row without a value stands: behind all others, whichever way they are sorted. */
const BEHIND_FALLING = -1n
const BEHIND_RISING = 2n ** 63n - 1n

/** The rows of a page and one more, nearest first: each kind of rows is read in order, by an index, and merged. */
export function requestStatement(
  sql: Queryable,
  workspaceId: string,
  query: RequestQuery,
): postgres.PendingQuery<PlacedRow[]> {
  const union = sourcesOf(sql, workspaceId, query)
    .filter((source) => canHold(source, query))
    .map((source) => sourceStatement(sql, source, query))
    .reduce((all, one) => sql`${all} union all ${one}`)
  return sql<PlacedRow[]>`
    select r.*, k.name as key_name,
      to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
    from (
      select * from (${union}) r
      order by ${orderOf(sql, query, sql`value`, sql`created_at`, sql`id`)}
      limit ${query.limit + 1}
    ) r
    join api_keys k on k.workspace_id = ${workspaceId} and k.id = r.key_id
    order by ${orderOf(sql, query, sql`r.value`, sql`r.created_at`, sql`r.id`)}`
}

/** One kind of rows in order, as many as a page can need of it. */
function sourceStatement(sql: Queryable, source: Source, query: RequestQuery): Fragment {
  const { table, id, completionTokens, status, isRunning, costMicros, value, lacksValue, where } = source
  const shown = value ?? (lacksValue ? sql`${behind(query)}` : sql`0`)
  return sql`(
    select
      ${id} as id, g.created_at, g.operation, g.streamed, g.model, g.key_id, g.prompt_tokens,
      ${completionTokens} as completion_tokens, ${costMicros} as cost_micros,
      ${isRunning ? sql`null::integer` : sql`g.latency_ms`} as latency_ms,
      ${isRunning ? sql`null::integer` : sql`g.time_to_first_token_ms`} as time_to_first_token_ms,
      ${status} as status, ${shown}::bigint as value
    from ${table}
    where ${where} ${besideOf(sql, source, query)}
    order by ${orderOf(sql, query, value, sql`g.created_at`, id)}
    limit ${query.limit + 1}
  )`
}

/** Beyond the row at which the page begins, as seen from where it is read from. */
function besideOf(sql: Queryable, { id, value, lacksValue }: Source, query: RequestQuery): Fragment {
  const beside = neighbourOf(query.place)
  if (!beside) return sql``
  // Those with a value lie all on one side of those without; `canHold` says on which.
  const mayLieTogether = value !== undefined && lacksValue
  if (isUnknown(beside, query) !== lacksValue && !mayLieTogether) return sql``
  const than = isFalling(query) ? sql`<` : sql`>`
  // As text, for the driver would cut a time to milliseconds.
  const moment = sql`${beside.at}::text::timestamptz`
  return value
    ? sql`and (${value}, g.created_at, ${id}) ${than} (${beside.value}::bigint, ${moment}, ${beside.id}::text)`
    : sql`and (g.created_at, ${id}) ${than} (${moment}, ${beside.id}::text)`
}

/** Whether rows of a kind can be on the page at all: those without a value come last. */
function canHold({ value, lacksValue }: Source, query: RequestQuery): boolean {
  const beside = neighbourOf(query.place)
  if (!beside || query.sort === 'time') return true
  const isForward = !isBackward(query.place)
  if (isUnknown(beside, query)) return lacksValue || !isForward
  return value !== undefined || isForward
}

function isUnknown({ value }: Position, query: RequestQuery): boolean {
  return query.sort !== 'time' && value === behind(query)
}

function behind({ isDescending }: RequestQuery): bigint {
  return isDescending ? BEHIND_FALLING : BEHIND_RISING
}

/** Whether a page is read towards smaller values. */
function isFalling({ isDescending, place }: RequestQuery): boolean {
  return isDescending !== isBackward(place)
}

function orderOf(
  sql: Queryable,
  query: RequestQuery,
  value: Fragment | undefined,
  time: Fragment,
  id: Fragment,
): Fragment {
  const way = isFalling(query) ? sql`desc` : sql`asc`
  const byTime = sql`${time} ${way}, ${id} ${way}`
  return value && query.sort !== 'time' ? sql`${value} ${way}, ${byTime}` : byTime
}
