import { ApiError } from '../errors.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { writeCookie } from './cookies.ts'
import type { ConsoleHandler } from './handlers.ts'
import { endSession as end, listSessions as list } from './sessions.ts'

/** `DELETE /session`: signs out, at the server (CONS-35). */
export function deleteSession(isHttps: boolean): ConsoleHandler<'deleteSession'> {
  return async ({ person, change }) => {
    await change((transaction) => end(transaction, person.accountId, person.sessionId))
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
export const endSession: ConsoleHandler<'endSession'> = async ({ person, path: { id }, change }) => {
  const isEnded = await change((transaction) => end(transaction, person.accountId, id))
  if (!isEnded) throw new ApiError('not_found', 'There is no such session.')
  return { status: 204 }
}
