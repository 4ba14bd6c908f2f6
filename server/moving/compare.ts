import type { Sql } from '../store/connection.ts'
import type { WorkspaceMove } from '../store/moves.ts'
import { MoveError } from './move-error.ts'

/** Which rows of records and ledger: those that were booked in this time. */
export interface Span {
  readonly since?: Date | undefined
  readonly before?: Date | undefined
}

/** Of a table, or a part of it: how many rows there are, and a sum over what they say, whatever their order. */
type Sums = Readonly<Record<string, string>>

/** Holds what both cells have of a workspace's records and ledger against each other. Throws `MoveError`. */
export function requireSameBooks(source: Sql, target: Sql, move: WorkspaceMove, span: Span): Promise<void> {
  return requireSame(source, target, move, (sql) => sumBooks(sql, move, span))
}

/** The same of all else, once nobody changes it. */
export function requireSameState(source: Sql, target: Sql, move: WorkspaceMove): Promise<void> {
  return requireSame(source, target, move, (sql) => sumState(sql, move))
}

async function requireSame(
  source: Sql,
  target: Sql,
  { workspaceId }: WorkspaceMove,
  sumUp: (sql: Sql) => Promise<Sums>,
): Promise<void> {
  const [left, come] = await Promise.all([sumUp(source), sumUp(target)])
  const names = [...new Set([...Object.keys(left), ...Object.keys(come)])]
  const wrong = names.filter((name) => left[name] !== come[name])
  if (wrong.length === 0) return
  throw new MoveError(`What has come of ${workspaceId} is not what is there: ${wrong.join(', ')}.`)
}

async function sumBooks(sql: Sql, { workspaceId }: WorkspaceMove, { since, before }: Span): Promise<Sums> {
  return await sql.begin('isolation level repeatable read read only', async (snapshot) => {
    await snapshot`select set_config('timezone', 'UTC', true)`
    const booked = (at: string) => snapshot`
      ${since ? snapshot`and ${snapshot(at)} >= ${since}` : snapshot``}
      ${before ? snapshot`and ${snapshot(at)} < ${before}` : snapshot``}`
    const rows = await snapshot<{ name: string; sum: string }[]>`
      select name, count(*) || ' ' || sum(('x' || substr(encode(sha256(convert_to(said, 'UTF8')), 'hex'), 1, 15))::bit(60)::bigint) as sum
      from (
        select 'records' as name, to_jsonb(g)::text as said from generations g
        where workspace_id = ${workspaceId} ${booked('settled_at')}
        union all
        select 'ledger', to_jsonb(l)::text from ledger l
        where workspace_id = ${workspaceId} ${booked('created_at')}
      ) told
      group by name`
    return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
  })
}

async function sumState(sql: Sql, { workspaceId }: WorkspaceMove): Promise<Sums> {
  return await sql.begin('isolation level repeatable read read only', async (snapshot) => {
    await snapshot`select set_config('timezone', 'UTC', true)`
    const rows = await snapshot<{ name: string; sum: string }[]>`
      select name, count(*) || ' ' || sum(('x' || substr(encode(sha256(convert_to(said, 'UTF8')), 'hex'), 1, 15))::bit(60)::bigint) as sum
      from (
        select 'workspace' as name, to_jsonb(w)::text as said from workspaces w where id = ${workspaceId}
        union all
        -- A last use is written at any time, and nothing is lost with it.
        select 'keys', (to_jsonb(k) - 'last_used_at')::text from api_keys k where workspace_id = ${workspaceId}
        union all
        select 'hashes of keys', to_jsonb(d)::text from withdrawn_keys d where workspace_id = ${workspaceId}
        union all
        select 'limits', to_jsonb(c)::text from workspace_limit_changes c where workspace_id = ${workspaceId}
        union all
        select 'corrections', to_jsonb(c)::text from withheld_generations c where workspace_id = ${workspaceId}
        union all
        select 'usage', to_jsonb(u)::text from usage_totals u where workspace_id = ${workspaceId}
      ) told
      group by name`
    return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
  })
}
