import type { components } from '#contract/console/types'
import { ApiError } from '../errors.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { findWorkspace } from '../store/workspaces.ts'
import type { ConsoleHandler, Person } from './handlers.ts'

type Me = components['schemas']['Me']

/** What is told of whoever is signed in. */
export interface MeParts extends Pick<Person, 'accountId' | 'email' | 'workspaceId' | 'isAdministrator'> {
  readonly workspaceName: string
  /** Where the router's API is, with `/v1`. */
  readonly baseUrl: string
}

/** `GET /me`. */
export function getMe(sql: Sql, baseUrl: string): ConsoleHandler<'getMe'> {
  return async ({ person }) => {
    const workspace = await outlast(() => findWorkspace(sql, person.workspaceId))
    if (!workspace) throw new ApiError('session_required', 'The account’s workspace is gone.')
    return { status: 200, body: toMe({ ...person, workspaceName: workspace.name, baseUrl }) }
  }
}

/** Somebody who is signed in, on the wire. */
export function toMe(parts: MeParts): Me {
  const { accountId: id, email, workspaceId, workspaceName: name, isAdministrator, baseUrl } = parts
  return {
    id,
    email,
    workspace: { id: workspaceId, name },
    administrator: isAdministrator,
    settings: { base_url: baseUrl },
  }
}
