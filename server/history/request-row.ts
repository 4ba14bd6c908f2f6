import { tokensPerSecond } from '../metering/speed.ts'
import type { Operation } from '../operation.ts'

/** One request as the log shows it; never any content. */
export interface RequestRow {
  readonly id: string
  readonly createdAt: Date
  readonly operation: Operation
  readonly streamed: boolean
  /** Router model id. */
  readonly model: string
  readonly keyId: string
  /** As the key is called now. */
  readonly keyName: string
  readonly promptTokens: number
  /** Of one that runs: as of its router's last checkpoint. */
  readonly completionTokens: number
  /** Null while it runs. */
  readonly costMicros: number | null
  /** From the first token to the end, in tenths; null where there is nothing to tell. */
  readonly tokensPerSecond: number | null
  readonly timeToFirstTokenMs: number | null
  readonly latencyMs: number | null
  readonly status: 'running' | 'ok' | 'aborted'
}

/** The columns of a row that the database answers, beside the key's name. */
export interface DatabaseRequestRow {
  readonly id: string
  readonly created_at: Date
  readonly operation: Operation
  readonly streamed: boolean
  readonly model: string
  readonly key_id: string
  readonly key_name: string
  readonly prompt_tokens: bigint
  readonly completion_tokens: bigint
  readonly cost_micros: bigint | null
  readonly latency_ms: number | null
  readonly time_to_first_token_ms: number | null
  readonly status: RequestRow['status']
}

/** Reads a row. */
export function toRequestRow(row: DatabaseRequestRow): RequestRow {
  const completionTokens = Number(row.completion_tokens)
  const { latency_ms: latencyMs, time_to_first_token_ms: timeToFirstTokenMs } = row
  return {
    id: row.id,
    createdAt: row.created_at,
    operation: row.operation,
    streamed: row.streamed,
    model: row.model,
    keyId: row.key_id,
    keyName: row.key_name,
    promptTokens: Number(row.prompt_tokens),
    completionTokens,
    costMicros: row.cost_micros === null ? null : Number(row.cost_micros),
    tokensPerSecond:
      latencyMs === null
        ? null
        : tokensPerSecond({ usage: { completionTokens }, latencyMs, timeToFirstTokenMs }),
    timeToFirstTokenMs,
    latencyMs,
    status: row.status,
  }
}
