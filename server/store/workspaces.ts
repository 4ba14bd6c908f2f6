import type { Queryable } from './connection.ts'
import { createId } from './ids.ts'
import { inTransaction } from './transaction.ts'

/** Who owns keys, a prepaid balance and generation records (WSP-01, WSP-02, WSP-03). */
export interface Workspace {
  readonly id: string
  readonly name: string
  readonly balanceMicros: bigint
  /** What running generations hold of the balance. */
  readonly heldMicros: bigint
  /** Null: the deployment's default. */
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  readonly createdAt: Date
}

/** The limits of a workspace that may be set; null gives it the deployment's, absence leaves what it has. */
export type WorkspaceLimits = Partial<Pick<Workspace, 'requestsPerMinute' | 'tokensPerMinute'>>

/** What somebody has set, and when. */
export interface LimitChange extends Required<WorkspaceLimits> {
  readonly at: Date
}

/** Makes a workspace with an empty balance; `id` is one that was made for it before. */
export async function createWorkspace(
  sql: Queryable,
  name: string,
  id: string = createId('ws_'),
): Promise<Workspace> {
  const [row] = await sql<WorkspaceRow[]>`
    insert into workspaces (id, name) values (${id}, ${name}) returning *`
  return toWorkspace(row!)
}

/** All workspaces, oldest first. */
export async function listWorkspaces(sql: Queryable): Promise<Workspace[]> {
  return (await sql<WorkspaceRow[]>`select * from workspaces order by id`).map(toWorkspace)
}

/** One workspace by its id. */
export async function findWorkspace(sql: Queryable, id: string): Promise<Workspace | undefined> {
  const [row] = await sql<WorkspaceRow[]>`select * from workspaces where id = ${id}`
  return row && toWorkspace(row)
}

/**
 * Changes the limits that are named, and writes down what holds from then on: from the next request, at every router.
 * Undefined if there is no such workspace.
 */
export async function setWorkspaceLimits(
  sql: Queryable,
  id: string,
  limits: WorkspaceLimits,
): Promise<Workspace | undefined> {
  const { requestsPerMinute, tokensPerMinute } = limits
  return await inTransaction(sql, async (transaction) => {
    const [row] = await transaction<WorkspaceRow[]>`
      update workspaces set
        requests_per_minute = ${requestsPerMinute === undefined ? transaction`requests_per_minute` : requestsPerMinute},
        tokens_per_minute = ${tokensPerMinute === undefined ? transaction`tokens_per_minute` : tokensPerMinute}
      where id = ${id} returning *`
    if (!row) return undefined
    await transaction`
      insert into workspace_limit_changes (workspace_id, number, requests_per_minute, tokens_per_minute)
      select ${id}, coalesce(max(number), 0) + 1, ${row.requests_per_minute}::integer, ${row.tokens_per_minute}::bigint
      from workspace_limit_changes where workspace_id = ${id}`
    return toWorkspace(row)
  })
}

/** What was ever set, oldest first. */
export async function listLimitChanges(sql: Queryable, id: string): Promise<LimitChange[]> {
  const rows = await sql<(Limits & { changed_at: Date })[]>`
    select changed_at, requests_per_minute, tokens_per_minute
    from workspace_limit_changes where workspace_id = ${id} order by number`
  return rows.map((row) => ({ at: row.changed_at, ...toLimits(row) }))
}

interface Limits {
  readonly requests_per_minute: number | null
  readonly tokens_per_minute: bigint | null
}

/** A workspace as the database answers it. */
export interface WorkspaceRow extends Limits {
  readonly id: string
  readonly name: string
  readonly balance_micros: bigint
  readonly held_micros: bigint
  readonly created_at: Date
}

/** Reads a row. */
export function toWorkspace(row: WorkspaceRow): Workspace {
  return {
    id: row.id,
    name: row.name,
    balanceMicros: row.balance_micros,
    heldMicros: row.held_micros,
    ...toLimits(row),
    createdAt: row.created_at,
  }
}

function toLimits({ requests_per_minute: requests, tokens_per_minute: tokens }: Limits) {
  return { requestsPerMinute: requests, tokensPerMinute: tokens === null ? null : Number(tokens) }
}
