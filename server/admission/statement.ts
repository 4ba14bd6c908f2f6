import { type KeyRates, type KeyRatesRow, toKeyRates } from '../limits/key-rates.ts'
import { columnsOf } from '../store/columns.ts'
import type { Sql } from '../store/connection.ts'
import type { DatabaseClock } from '../store/database-clock.ts'
import { rowsOf } from '../store/rows-of.ts'
import type { Applicant } from './applicant.ts'
import type { Decision } from './refusals.ts'

/** A request and what its buckets have said of it. */
export interface Case {
  readonly applicant: Applicant
  /** Undefined: the key's limits are not known yet, and so its buckets were not asked. */
  readonly buckets: { readonly rates: KeyRates; readonly admit: boolean } | undefined
  /** A moment of `performance.now()`: no hold is placed from then on. */
  readonly untilMs: number
  /** A statement that carried it was sent and its answer lost: its hold may be there already. */
  isRetried: boolean
}

/** What the database says of a request. */
export type Judged =
  /** There is no such key. */
  | { readonly decision: 'invalid_api_key' }
  /** `rates` are the key's and its workspace's, as they are now. */
  | { readonly decision: Exclude<Decision, 'invalid_api_key'>; readonly rates: KeyRates }

/** Whose statement it is, and what the deployment allows. */
interface StatementOptions {
  readonly sql: Sql
  readonly replica: string
  readonly allowOverdraftMicros: () => number
  readonly clock: Pick<DatabaseClock, 'earliest'>
}

/** One statement; its text is what an operator looks for in the database's statistics. */
export async function judgeBatch<Entry extends Case>(
  entries: readonly Entry[],
  { sql, replica, allowOverdraftMicros, clock }: StatementOptions,
): Promise<Map<Entry, Judged>> {
  const { text, bigint, boolean, integer, timestamptz } = columnsOf(sql, entries)
  const rows = await rowsOf(sql<Row[]>`select * from admit_generations(
    ${replica}::text,
    ${allowOverdraftMicros()}::bigint,
    ${entries.some((entry) => entry.isRetried)}::boolean,
    ${text(({ applicant }) => applicant.caller.keyHash)}::text[],
    ${text(({ applicant }) => applicant.generation.id)}::text[],
    ${text(({ applicant }) => applicant.generation.operation)}::text[],
    ${boolean(({ applicant }) => applicant.generation.streamed)}::boolean[],
    ${text(({ applicant }) => applicant.generation.model)}::text[],
    ${text(({ applicant }) => applicant.generation.endpoint)}::text[],
    ${text(({ applicant }) => applicant.generation.evidenceDigest)}::text[],
    ${bigint(({ applicant }) => applicant.generation.pricing.promptMicros)}::bigint[],
    ${bigint(({ applicant }) => applicant.generation.pricing.completionMicros)}::bigint[],
    ${bigint(({ applicant }) => applicant.holdMicros)}::bigint[],
    ${bigint(({ applicant }) => applicant.generation.countedPromptTokens)}::bigint[],
    ${timestamptz(({ applicant }) => applicant.generation.createdAt)}::timestamptz[],
    ${boolean(({ buckets }) => buckets?.admit ?? null)}::boolean[],
    ${integer(({ buckets }) => buckets?.rates.requestsPerMinute ?? null)}::integer[],
    ${bigint(({ buckets }) => buckets?.rates.tokensPerMinute ?? null)}::bigint[],
    ${integer(({ buckets }) => buckets?.rates.workspaceRequestsPerMinute ?? null)}::integer[],
    ${bigint(({ buckets }) => buckets?.rates.workspaceTokensPerMinute ?? null)}::bigint[],
    ${timestamptz(({ untilMs }) => clock.earliest(untilMs) ?? null)}::timestamptz[]
  )`)
  return new Map(entries.map((entry, index) => [entry, toJudged(rows[index]!)]))
}

interface Row extends KeyRatesRow {
  readonly verdict: Decision
}

function toJudged(row: Row): Judged {
  const { verdict: decision } = row
  return decision === 'invalid_api_key' ? { decision } : { decision, rates: toKeyRates(row) }
}
