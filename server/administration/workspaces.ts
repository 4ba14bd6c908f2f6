import type { Queryable } from '../store/connection.ts'
import {
  createWorkspace,
  setWorkspaceLimits,
  type Workspace,
  type WorkspaceLimits,
} from '../store/workspaces.ts'
import { type Actor, audited } from './act.ts'

/** Makes a workspace with an empty balance; `id` is one that was made for it before. */
export async function create(sql: Queryable, actor: Actor, name: string, id?: string): Promise<Workspace> {
  const made = await audited(
    sql,
    actor,
    (transaction) => createWorkspace(transaction, name, id),
    ({ id }) => [{ act: 'workspace_created', subject: id, details: { name } }],
  )
  return made!
}

/** Changes the limits that are named; undefined when there is no such workspace. */
export function limit(
  sql: Queryable,
  actor: Actor,
  id: string,
  limits: WorkspaceLimits,
): Promise<Workspace | undefined> {
  return audited(
    sql,
    actor,
    (transaction) => setWorkspaceLimits(transaction, id, limits),
    ({ requestsPerMinute, tokensPerMinute }) => {
      const details = {
        requests_per_minute: String(requestsPerMinute ?? 'default'),
        tokens_per_minute: String(tokensPerMinute ?? 'default'),
      }
      return [{ act: 'workspace_limited', subject: id, details }]
    },
  )
}
