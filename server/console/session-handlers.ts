import { ApiError } from '../errors.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { writeCookie } from './cookies.ts'
import type { ConsoleHandler } from './handlers.ts'
import { endSession as end, listSessions as list } from './sessions.ts'

/** `DELETE /session`: signs out, at the server (CONS-35). */
export function deleteSession(sql: Sql, isHttps: boolean): ConsoleHandler<'deleteSession'> {
  return async ({ person }) => {
    await end(sql, person.accountId, person.sessionId)
    return { status: 204, headers: { 'Set-Cookie': writeCookie('session', undefined, isHttps) } }
  }
}

/** `GET /sessions`. */
export function listSessions(sql: Sql): ConsoleHandler<'listSessions'> {
  return async ({ person }) => {
    const sessions = await outlast(() => list(sql, person.accountId))
    const data = sessions.map(({ id, userAgent, createdAt, usedAt, expiresAt }) => ({
      id,
      current: id === person.sessionId,
      created_at: createdAt.toISOString(),
      last_used_at: usedAt.toISOString(),
      expires_at: expiresAt.toISOString(),
      user_agent: userAgent,
    }))
    return { status: 200, body: { data } }
  }
}

/** `DELETE /sessions/{id}`: ends one of the account's own sessions (CONS-41). */
export function endSession(sql: Sql): ConsoleHandler<'endSession'> {
  return async ({ person, path: { id } }) => {
    if (!(await end(sql, person.accountId, id))) throw new ApiError('not_found', 'There is no such session.')
    return { status: 204 }
  }
}
