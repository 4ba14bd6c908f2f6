import type { Sql } from '../../server/store/connection.ts'

/** What is on record of a generation. */
export interface Recorded {
  readonly id: string
  readonly workspaceId: string
  readonly status: 'ok' | 'aborted'
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: number
}

/** Reads all records, as they are to be read. */
export async function readRecords(sql: Sql): Promise<ReadonlyMap<string, Recorded>> {
  const rows = await sql<Row[]>`
    select id, workspace_id, status, prompt_tokens, completion_tokens, cost_micros from generation_records`
  const records = rows.map((row) => ({
    id: row.id,
    workspaceId: row.workspace_id,
    status: row.status,
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    costMicros: Number(row.cost_micros),
  }))
  return new Map(records.map((record) => [record.id, record]))
}

interface Row {
  readonly id: string
  readonly workspace_id: string
  readonly status: Recorded['status']
  readonly prompt_tokens: bigint
  readonly completion_tokens: bigint
  readonly cost_micros: bigint
}
