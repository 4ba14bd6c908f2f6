import { type Cell, toLine } from '../csv.ts'
import type { Sql } from '../store/connection.ts'
import { readRequests } from './request-log.ts'
import type { RequestQuery } from './request-query.ts'
import type { RequestRow } from './request-row.ts'

/** Rows that are in memory at once; ours. */
const BATCH = 1_000

/** The nine values of a row (CONS-07), and what they are told of. */
const columns: readonly (readonly [string, (row: RequestRow) => Cell])[] = [
  ['time', ({ createdAt }) => createdAt.toISOString()],
  ['model', ({ model }) => model],
  ['key', ({ keyName }) => keyName],
  ['input_tokens', ({ promptTokens }) => promptTokens],
  ['output_tokens', ({ completionTokens }) => completionTokens],
  ['cost_micros', ({ costMicros }) => costMicros],
  ['tokens_per_second', ({ tokensPerSecond }) => tokensPerSecond],
  ['time_to_first_token_ms', ({ timeToFirstTokenMs }) => timeToFirstTokenMs],
  ['status', ({ status }) => status],
  ['id', ({ id }) => id],
  ['key_id', ({ keyId }) => keyId],
]

/**
 * A workspace's log, but for what still runs, as the lines of a CSV file (RFC 4180), batch by batch. The database is asked for the next batch
 * when the last one has been taken, and keeps nothing in between: a slow reader, or one that has left, costs nothing.
 */
export async function* requestCsv(
  sql: Sql,
  workspaceId: string,
  query: Omit<RequestQuery, 'place' | 'limit'>,
): AsyncGenerator<string, void, undefined> {
  yield toLine(columns.map(([name]) => name))
  let place: RequestQuery['place'] | undefined = 'first'
  while (place) {
    const { rows, after } = await readRequests(sql, workspaceId, {
      ...query,
      isEnded: true,
      place,
      limit: BATCH,
    })
    if (rows.length > 0) yield rows.map((row) => toLine(columns.map(([, cell]) => cell(row)))).join('')
    place = after && { after }
  }
}
