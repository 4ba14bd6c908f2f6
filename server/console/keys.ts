import type { components } from '#contract/console/types'
import { limits } from '#contract/limits'
import { ApiError } from '../errors.ts'
import type { Sql } from '../store/connection.ts'
import {
  changeKeyOf,
  createKeyWithin,
  type Key,
  type KeySettings,
  listKeyPage,
  revokeKeyOf,
} from '../store/keys.ts'
import { outlast } from '../store/retry.ts'
import { readCursor, toCursor } from './cursor.ts'
import type { ConsoleHandler, ConsoleRequest } from './handlers.ts'
import { readLimit, readTime } from './query.ts'

type KeyBody = components['schemas']['ConsoleKey']

const KEY_ID = /^key_[0-9A-HJKMNP-TV-Z]{26}$/

/** `GET /keys`: the workspace's keys, the newest first, revoked ones too (CONS-28). */
export function listingKeys(sql: Sql): ConsoleHandler<'listKeys'> {
  return async ({ person, query }) => {
    const [after] = readCursor(query.after, [KEY_ID]) ?? []
    const limit = readLimit(query.limit)
    const keys = await outlast(() => listKeyPage(sql, person.workspaceId, { after, limit: limit + 1 }))
    const data = keys.slice(0, limit)
    const last = keys.length > limit ? data.at(-1) : undefined
    return { status: 200, body: { data: data.map(toKeyBody), next: toCursor(last && [last.id]) } }
  }
}

/** `POST /keys`: its text is in this answer alone (KEY-04). */
export const createKey: ConsoleHandler<'createKey'> = async ({ person, body, change }) => {
  const settings = { ...settingsOf(body), name: body.name }
  const created = await change((transaction) => createKeyWithin(transaction, person.workspaceId, settings))
  if (!created) {
    throw new ApiError(
      'conflict',
      `A workspace has at most ${limits.maxKeys} keys. Revoke one that is not used.`,
    )
  }
  const { key, plaintext } = created
  return { status: 201, body: { ...toKeyBody(key), api_key: plaintext } }
}

/** `PATCH /keys/{id}`: what is not named stays; a revoked key is a 409. */
export const updateKey: ConsoleHandler<'updateKey'> = async ({ person, path, body, change }) => {
  const settings = settingsOf(body)
  const key = await change((transaction) => changeKeyOf(transaction, person.workspaceId, path.id, settings))
  if (!key) throw unknown()
  if (key.state === 'revoked') throw new ApiError('conflict', 'This key is revoked, for good.')
  return { status: 200, body: toKeyBody(key) }
}

/** `DELETE /keys/{id}`: it is refused from the next request on; a second time changes nothing. */
export const revokeKey: ConsoleHandler<'revokeKey'> = async ({ person, path, change }) => {
  const key = await change((transaction) => revokeKeyOf(transaction, person.workspaceId, path.id))
  if (!key) throw unknown()
  return { status: 200, body: toKeyBody(key) }
}

/** Another workspace's key is as unknown as one that never was (CONS-50). */
function unknown(): ApiError {
  return new ApiError('not_found', 'No such key in this workspace.', { param: 'id' })
}

function settingsOf(body: ConsoleRequest<'updateKey'>['body']): KeySettings {
  const { name, model_scope, requests_per_minute, tokens_per_minute, spend_limit_micros, expires_at } = body
  return {
    ...(name !== undefined && { name }),
    ...(model_scope !== undefined && { modelScope: model_scope }),
    ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
    ...(tokens_per_minute !== undefined && { tokensPerMinute: tokens_per_minute }),
    ...(spend_limit_micros !== undefined && {
      spendLimitMicros: spend_limit_micros === null ? null : BigInt(spend_limit_micros),
    }),
    ...(expires_at !== undefined && {
      expiresAt: expires_at === null ? null : readTime('expires_at', expires_at),
    }),
  }
}

/** A key as the contract has it, without its text. */
export function toKeyBody(key: Key): KeyBody {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    state: key.state,
    model_scope: key.modelScope && [...key.modelScope],
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    spend_limit_micros: key.spendLimitMicros === null ? null : Number(key.spendLimitMicros),
    spent_micros: Number(key.spentMicros),
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}
