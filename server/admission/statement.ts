import { type KeyLimits, type KeyLimitsRow, toKeyLimits } from '../limits/key-limits.ts'
import { columnsOf } from '../store/columns.ts'
import type { Sql } from '../store/connection.ts'
import type { Applicant } from './applicant.ts'
import type { AdmissionVerdict } from './verdict.ts'

/** A request and what its buckets have said of it. */
export interface Case {
  readonly applicant: Applicant
  /** Undefined: the key's limits are not known yet, and so its buckets were not asked. */
  readonly buckets: { readonly limits: KeyLimits; readonly admit: boolean } | undefined
  /** A statement that carried it was sent and its answer lost: its hold may be there already. */
  isRetried: boolean
}

/** What the database says of a request. */
export type Judgement =
  /** There is no such key. */
  | { readonly verdict: 'invalid_api_key' }
  /** `limits` are the key's and its workspace's, as they are now. */
  | { readonly verdict: Exclude<AdmissionVerdict, 'invalid_api_key'>; readonly limits: KeyLimits }

/** Whose statement it is, and what the deployment allows. */
interface StatementOptions {
  readonly sql: Sql
  readonly replica: string
  readonly allowOverdraftMicros: () => number
}

/** One statement; its text is what an operator looks for in the database's statistics. */
export async function judgeBatch<Entry extends Case>(
  entries: readonly Entry[],
  { sql, replica, allowOverdraftMicros }: StatementOptions,
): Promise<Map<Entry, Judgement>> {
  const { text, bigint, boolean, integer, timestamptz } = columnsOf(sql, entries)
  const rows = await sql<Row[]>`select * from admit_generations(
    ${replica}::text,
    ${allowOverdraftMicros()}::bigint,
    ${entries.some((entry) => entry.isRetried)}::boolean,
    ${text(({ applicant }) => applicant.keyHash)}::text[],
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
    ${integer(({ buckets }) => buckets?.limits.requestsPerMinute ?? null)}::integer[],
    ${bigint(({ buckets }) => buckets?.limits.tokensPerMinute ?? null)}::bigint[],
    ${integer(({ buckets }) => buckets?.limits.workspaceRequestsPerMinute ?? null)}::integer[],
    ${bigint(({ buckets }) => buckets?.limits.workspaceTokensPerMinute ?? null)}::bigint[]
  )`
  return new Map(entries.map((entry, index) => [entry, toJudgement(rows[index]!)]))
}

interface Row extends KeyLimitsRow {
  readonly verdict: AdmissionVerdict
}

function toJudgement(row: Row): Judgement {
  const { verdict } = row
  return verdict === 'invalid_api_key' ? { verdict } : { verdict, limits: toKeyLimits(row) }
}
