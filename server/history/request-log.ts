import type { Queryable, Sql } from '../store/connection.ts'
import { type Page, toPage } from './page.ts'
import type { Position, RequestQuery } from './request-query.ts'
import { type RequestRow, toRequestRow } from './request-row.ts'
import { type PlacedRow, requestStatement } from './request-statement.ts'
import { readSnapshot } from './snapshot.ts'

/** Reads one page of a workspace's requests, those that run among them. */
export function readRequests(
  sql: Sql,
  workspaceId: string,
  query: RequestQuery,
): Promise<Page<RequestRow, Position>> {
  return readSnapshot(sql, workspaceId, (snapshot) => readPage(snapshot, workspaceId, query))
}

async function readPage(
  sql: Queryable,
  workspaceId: string,
  query: RequestQuery,
): Promise<Page<RequestRow, Position>> {
  const rows = await requestStatement(sql, workspaceId, query)
  return toPage(rows, query, { toRow: toRequestRow, placeOf })
}

function placeOf({ value, at, id }: PlacedRow): Position {
  return { value, at, id }
}
