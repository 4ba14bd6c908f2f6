import type { components } from '#contract/console/types'
import { limits } from '#contract/limits'
import { CreditConflict, creditWorkspace as post } from '../administration/credit.ts'
import {
  findPeopledWorkspace,
  findWorkspaces,
  type PeopledWorkspace,
} from '../administration/find-workspaces.ts'
import { ApiError } from '../errors.ts'
import { readCredits } from '../history/ledger-pages.ts'
import { BalanceError } from '../metering/ledger.ts'
import type { Sql } from '../store/connection.ts'
import { listKeyPage } from '../store/keys.ts'
import { outlast } from '../store/retry.ts'
import { actorOf, missing } from './administrator.ts'
import { toLedgerBody } from './credits.ts'
import { readCursor } from './cursor.ts'
import type { ConsoleHandler } from './handlers.ts'
import { toKeyBody } from './keys.ts'
import { toPageBody } from './page-body.ts'
import { readLimit, readText, wrong } from './query.ts'

const ID = /^ws_[0-9A-HJKMNP-TV-Z]{26}$/

/** Longest text that is looked for: as long as an address may be. */
const MAX_QUERY_CHARACTERS = 320

/** `GET /admin/workspaces`: those that a text is found in, the newest first. */
export function listingWorkspaces(sql: Sql): ConsoleHandler<'listWorkspaces'> {
  return async ({ query }) => {
    const [after] = readCursor(query.after, [ID]) ?? []
    const text = readText('query', query.query)
    if (text !== undefined && [...text].length > MAX_QUERY_CHARACTERS) {
      throw wrong('query', `must have ${MAX_QUERY_CHARACTERS} characters at the most.`)
    }
    const limit = readLimit(query.limit)
    const rows = await outlast(() => findWorkspaces(sql, { text, after, limit: limit + 1 }))
    return { status: 200, body: toPageBody(rows, limit, { toBody, placeOf: ({ id }) => [id] }) }
  }
}

/** `GET /admin/workspaces/{id}`. */
export function gettingWorkspace(sql: Sql): ConsoleHandler<'getWorkspace'> {
  return async ({ path: { id } }) => {
    const workspace = await outlast(() => findPeopledWorkspace(sql, id))
    if (!workspace) throw missing('workspace', 'id')
    const { page } = await readCredits(sql, id, { place: 'first', limit: limits.consolePageRows })
    const keys = await outlast(() =>
      listKeyPage(sql, id, { after: undefined, limit: limits.consolePageRows }),
    )
    const details = { ledger: page.rows.map(toLedgerBody), keys: keys.map(toKeyBody) }
    return { status: 200, body: { ...toBody(workspace), ...details } }
  }
}

/** `POST /admin/workspaces/{id}/credit`: one ledger row. */
export const creditWorkspace: ConsoleHandler<'creditWorkspace'> = async (request) => {
  const { person, path, body, change } = request
  const { amount_micros, reason, idempotency_key: idempotencyKey } = body
  const amountMicros = BigInt(amount_micros)
  if (amountMicros === 0n) throw wrong('amount_micros', 'must not be zero.')
  const credit = { workspaceId: path.id, amountMicros, reason, idempotencyKey }
  const actor = actorOf(person)
  const row = await change((transaction) => post(transaction, actor, credit)).catch(asConflict)
  if (!row) throw missing('workspace', 'id')
  return { status: 201, body: toLedgerBody(row) }
}

function asConflict(thrown: unknown): never {
  const isInTheWay = thrown instanceof CreditConflict || thrown instanceof BalanceError
  throw isInTheWay ? new ApiError('conflict', thrown.message, { cause: thrown }) : thrown
}

function toBody(workspace: PeopledWorkspace): components['schemas']['AdminWorkspace'] {
  return {
    id: workspace.id,
    name: workspace.name,
    emails: [...workspace.emails],
    balance_micros: Number(workspace.balanceMicros),
    held_micros: Number(workspace.heldMicros),
    requests_per_minute: workspace.requestsPerMinute,
    tokens_per_minute: workspace.tokensPerMinute,
    created_at: workspace.createdAt.toISOString(),
  }
}
