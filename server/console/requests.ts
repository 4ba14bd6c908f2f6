import type { components } from '#contract/console/types'
import { ApiError } from '../errors.ts'
import { findRequest, type RequestDetails } from '../history/request-details.ts'
import { readRequests } from '../history/request-log.ts'
import { type Position, type RequestQuery, requestSorts } from '../history/request-query.ts'
import type { RequestRow } from '../history/request-row.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { readCursor, toCursor } from './cursor.ts'
import type { ConsoleHandler, ConsoleRequest } from './handlers.ts'
import { readChoice, readLimit, readMicros, readText, readTimes, wrong } from './query.ts'

type RowBody = components['schemas']['RequestRow']
type DetailsBody = components['schemas']['RequestDetails']

/** `GET /requests`: a page of the workspace's log (CONS-30, CONS-43, CONS-44). */
export function listingRequests(sql: Sql): ConsoleHandler<'listRequests'> {
  return async ({ person, query }) => {
    const after = readPosition(query.after)
    const page = await readRequests(sql, person.workspaceId, {
      ...readNarrowing(query),
      place: after ? { after } : 'first',
      limit: readLimit(query.limit),
    })
    const next = page.after && [String(page.after.value), page.after.at, page.after.id]
    return { status: 200, body: { data: page.rows.map(toRowBody), next: toCursor(next) } }
  }
}

/** `GET /requests/{id}`: all that is kept of one request; another workspace's is as unknown as none (CONS-47, CONS-50). */
export function gettingRequest(sql: Sql): ConsoleHandler<'getRequest'> {
  return async ({ person, path }) => {
    const details = await outlast(() => findRequest(sql, person.workspaceId, path.id))
    if (!details) throw new ApiError('not_found', 'No such request in this workspace.', { param: 'id' })
    return { status: 200, body: toDetailsBody(details) }
  }
}

/** How a log is narrowed and sorted, by the parameters that list and file have in common. */
export function readNarrowing(
  query: ConsoleRequest<'saveRequests'>['query'],
): Omit<RequestQuery, 'place' | 'limit'> {
  const minCostMicros = readMicros('min_cost_micros', query.min_cost_micros)
  const maxCostMicros = readMicros('max_cost_micros', query.max_cost_micros)
  if (minCostMicros !== undefined && maxCostMicros !== undefined && minCostMicros > maxCostMicros) {
    throw wrong('min_cost_micros', 'must not be above max_cost_micros.')
  }
  return {
    ...readTimes(query),
    model: readText('model', query.model),
    keyId: readText('key', query.key),
    status: readChoice('status', query.status, ['running', 'ok', 'aborted']),
    minCostMicros,
    maxCostMicros,
    sort: readChoice('sort', query.sort, requestSorts) ?? 'time',
    isDescending: readChoice('order', query.order, ['asc', 'desc']) !== 'asc',
  }
}

const VALUE = /^(-1|\d{1,19})$/
const MOMENT = /^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/
const ID = /^[\w-]{1,64}$/
const BIGINT_END = 2n ** 63n

function readPosition(text: string | undefined): Position | undefined {
  const parts = readCursor(text, [VALUE, MOMENT, ID])
  if (!parts) return undefined
  const [value = '', at = '', id = ''] = parts
  // A cursor that somebody made up must be no fault of the database's.
  if (BigInt(value) >= BIGINT_END || Number.isNaN(Date.parse(at))) {
    throw wrong('after', 'has to be the next of the page before.')
  }
  return { value: BigInt(value), at, id }
}

/** A row as the contract has it. */
export function toRowBody(row: RequestRow): RowBody {
  return {
    id: row.id,
    created_at: row.createdAt.toISOString(),
    model: row.model,
    key: { id: row.keyId, name: row.keyName },
    input_tokens: row.promptTokens,
    output_tokens: row.completionTokens,
    cost_micros: row.costMicros,
    tokens_per_second: row.tokensPerSecond,
    time_to_first_token_ms: row.timeToFirstTokenMs,
    status: row.status,
  }
}

function toDetailsBody(details: RequestDetails): DetailsBody {
  const { row, pricing, refundedMicros, settledAt } = details
  const product = (tokens: number, micros: number) => String(BigInt(tokens) * BigInt(micros))
  return {
    ...toRowBody(row),
    endpoint: details.endpoint,
    operation: row.operation,
    streamed: row.streamed,
    finish_reason: details.finishReason,
    usage_source: details.usageSource,
    timings: {
      first_token_ms: row.timeToFirstTokenMs,
      end_ms: row.latencyMs,
      settled_at: settledAt?.toISOString() ?? null,
    },
    price:
      row.costMicros === null
        ? null
        : {
            input_per_1m_micros: pricing.promptMicros,
            output_per_1m_micros: pricing.completionMicros,
            input_product: product(row.promptTokens, pricing.promptMicros),
            output_product: product(row.completionTokens, pricing.completionMicros),
            cost_micros: row.costMicros,
            refunded_micros: refundedMicros,
          },
    ledger_id: details.ledgerId,
    evidence_digest: details.evidenceDigest,
    has_bundle: details.hasBundle,
  }
}
