import type postgres from 'postgres'
import type { Queryable } from '../store/connection.ts'
import type { RequestQuery } from './request-query.ts'

export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** Rows of one kind: where they are, what they are asked for there, and which of them. */
export interface Source extends Kind {
  /** What they are sorted by, in the form of an index of migration 014; undefined: nothing but the time. */
  readonly value: Fragment | undefined
  /** Whether they may have no such value; those without one stand at the right end of a falling index. */
  readonly lacksValue: boolean
}

interface Kind {
  readonly table: Fragment
  readonly id: Fragment
  readonly completionTokens: Fragment
  readonly status: Fragment
  readonly isRunning: boolean
  readonly costMicros: Fragment
  readonly where: Fragment
}

/**
 * All that a log shows: records, records that were corrected (few: each tells of an outage), and requests that still
 * run. Those that have no value to be sorted by are told apart from those that have one, wherever they do not stand
 * together at the right end of the index.
 */
export function sourcesOf(sql: Queryable, workspaceId: string, query: RequestQuery): Source[] {
  const { status, isEnded = false } = query
  const only = (isShown: boolean): Fragment => (isShown ? sql`` : sql`and false`)
  const narrowed = (kind: Kind): Kind => ({
    ...kind,
    where: sql`${kind.where} ${filterOf(sql, kind, query)}`,
  })
  const settled = narrowed({
    table: sql`generations g`,
    id: sql`g.id`,
    completionTokens: sql`g.completion_tokens`,
    status: sql`g.status`,
    isRunning: false,
    costMicros: sql`g.cost_micros`,
    where: sql`g.workspace_id = ${workspaceId} and not exists (
      select from withheld_generations w where w.workspace_id = ${workspaceId} and w.id = g.id
    ) ${status === undefined ? sql`` : sql`and g.status = ${status}`} ${only(status !== 'running')}`,
  })
  const corrected = narrowed({
    table: sql`withheld_generations w join generations g on g.workspace_id = ${workspaceId} and g.id = w.id`,
    id: sql`g.id`,
    completionTokens: sql`w.completion_tokens`,
    status: sql`'aborted'`,
    isRunning: false,
    costMicros: sql`w.cost_micros`,
    where: sql`w.workspace_id = ${workspaceId} ${only(status === undefined || status === 'aborted')}`,
  })
  const running = narrowed({
    table: sql`holds g`,
    id: sql`g.generation_id`,
    completionTokens: sql`g.completion_tokens`,
    status: sql`'running'`,
    isRunning: true,
    costMicros: sql`null::bigint`,
    where: sql`g.workspace_id = ${workspaceId} ${only((status === undefined || status === 'running') && !isEnded)}`,
  })
  return [settled, corrected, running].flatMap((kind) => sortedSources(sql, kind, query))
}

/** What a kind is sorted by, in one run of an index or in two. */
function sortedSources(sql: Queryable, kind: Kind, { sort, isDescending }: RequestQuery): Source[] {
  const { completionTokens, costMicros, isRunning, where } = kind
  const values = {
    time: undefined,
    input_tokens: sql`g.prompt_tokens`,
    output_tokens: completionTokens,
    cost: isRunning ? undefined : costMicros,
    speed: isRunning ? undefined : sql`speed(${completionTokens}, g.latency_ms, g.time_to_first_token_ms)`,
    time_to_first_token: isRunning ? undefined : sql`coalesce(g.time_to_first_token_ms, -1)`,
  }
  const value = values[sort]
  const mayLack = sort === 'speed' || sort === 'time_to_first_token'
  if (!value) return [{ ...kind, value, lacksValue: sort !== 'time' }]
  if (!mayLack || isDescending) return [{ ...kind, value, lacksValue: mayLack }]
  return [
    { ...kind, value, lacksValue: false, where: sql`${where} and ${value} >= 0` },
    { ...kind, value: undefined, lacksValue: true, where: sql`${where} and ${value} = -1` },
  ]
}

function filterOf(sql: Queryable, { isRunning, costMicros }: Kind, query: RequestQuery): Fragment {
  const { from, to, model, keyId, minCostMicros, maxCostMicros } = query
  const none = sql``
  const isPriced = minCostMicros !== undefined || maxCostMicros !== undefined
  if (isRunning && isPriced) return sql`and false`
  return sql`
    ${from ? sql`and g.created_at >= ${from}` : none}
    ${to ? sql`and g.created_at < ${to}` : none}
    ${model === undefined ? none : sql`and g.model = ${model}`}
    ${keyId === undefined ? none : sql`and g.key_id = ${keyId}`}
    ${minCostMicros === undefined ? none : sql`and ${costMicros} >= ${minCostMicros}::bigint`}
    ${maxCostMicros === undefined ? none : sql`and ${costMicros} <= ${maxCostMicros}::bigint`}`
}
