import { createBatcher, isolating } from '../batch.ts'
import type { Log } from '../log.ts'
import { columnsOf } from '../store/columns.ts'
import type { Sql } from '../store/connection.ts'
import { isOutage, OutageError } from '../store/outage.ts'
import { persist, within } from '../store/retry.ts'
import type { Admitted, Candidate } from './candidate.ts'
import { type AdmissionVerdict, refusalOf } from './verdict.ts'

/** What admission needs from the world. */
export interface AdmissionOptions {
  readonly sql: Sql
  /** The router whose holds these are. */
  readonly replica: string
  readonly allowOverdraftMicros: number
  /** How long a request waits for a database that is away. */
  readonly outageMs: number
  readonly log: Log
  /** Told when a hold may have been placed that nobody knows of: the answer to a statement was lost. */
  readonly onUncertain: () => void
}

/** The one gate in front of every metered route. */
export interface Admission {
  /**
   * Judges key, scope, credit and spend limit and places the hold, durably. Throws `ApiError` when refused and
   * `OutageError` when the database cannot be asked.
   */
  admit(candidate: Candidate): Promise<Admitted>
  /** Has one connection prepare its statement, so that no request waits for that. */
  warm(): Promise<void>
  /** Gives up on a database that is away; resolves when nothing is under way. */
  stop(): Promise<void>
}

/** Requests in one statement, ours. */
const MAX_ITEMS = 256

interface Entry {
  readonly candidate: Candidate
  /** A statement that carried it was sent and its answer lost: its hold may be there already. */
  isRetried: boolean
  /** Its request has been answered already: it must not be admitted any more. */
  isAbandoned: boolean
}

/** Admits requests in batches: one statement judges all that arrived while the last one ran. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { outageMs, onUncertain } = options
  const stopping = new AbortController()
  const admitEntries = isolating(
    (entries: readonly Entry[]) => admitBatch(entries, options, stopping.signal),
    isOutage,
  )
  const batcher = createBatcher(admitEntries, { maxItems: MAX_ITEMS })

  return {
    async admit(candidate) {
      const entry: Entry = { candidate, isRetried: false, isAbandoned: false }
      try {
        return await within(batcher.add(entry), outageMs)
      } catch (error) {
        if (error instanceof OutageError) {
          entry.isAbandoned = true
          onUncertain()
        }
        throw error
      }
    },
    async warm() {
      await admitOnce([], options)
    },
    async stop() {
      stopping.abort()
      await batcher.idle()
    },
  }
}

async function admitBatch(
  entries: readonly Entry[],
  options: AdmissionOptions,
  signal: AbortSignal,
): Promise<(Admitted | Error)[]> {
  const onOutage = (error: unknown): void => {
    options.log.warn('admission waits for the database', { error, count: entries.length })
    options.onUncertain()
    for (const entry of entries) entry.isRetried = true
  }
  const attempt = async (): Promise<Map<Entry, Admitted | Error>> => {
    const live = entries.filter((entry) => !entry.isAbandoned)
    return live.length === 0 ? new Map() : await admitOnce(live, options)
  }
  const results = await persist(attempt, { signal, onOutage })
  return entries.map((entry) => results.get(entry) ?? new OutageError('the database was away for too long'))
}

/** One statement; its text is what an operator looks for in the database's statistics. */
async function admitOnce(
  entries: readonly Entry[],
  { sql, replica, allowOverdraftMicros }: AdmissionOptions,
): Promise<Map<Entry, Admitted | Error>> {
  const candidates = entries.map((entry) => entry.candidate)
  const { text, bigint, boolean, timestamptz } = columnsOf(sql, candidates)
  const rows = await sql<Row[]>`select * from admit_generations(
    ${replica}::text,
    ${allowOverdraftMicros}::bigint,
    ${entries.some((entry) => entry.isRetried)}::boolean,
    ${text((one) => one.keyHash)}::text[],
    ${text((one) => one.generationId)}::text[],
    ${text((one) => one.operation)}::text[],
    ${boolean((one) => one.streamed)}::boolean[],
    ${text((one) => one.model)}::text[],
    ${text((one) => one.endpoint)}::text[],
    ${text((one) => one.evidenceDigest)}::text[],
    ${bigint((one) => one.pricing.promptMicros)}::bigint[],
    ${bigint((one) => one.pricing.completionMicros)}::bigint[],
    ${bigint((one) => one.holdMicros)}::bigint[],
    ${bigint((one) => one.countedPromptTokens)}::bigint[],
    ${timestamptz((one) => one.createdAt)}::timestamptz[]
  )`
  return new Map(entries.map((entry, index) => [entry, toResult(rows[index]!)]))
}

interface Row {
  readonly verdict: AdmissionVerdict
  readonly workspace_id: string
  readonly key_id: string
}

function toResult({ verdict, workspace_id, key_id }: Row): Admitted | Error {
  return verdict === 'admitted' ? { workspaceId: workspace_id, keyId: key_id } : refusalOf(verdict)
}
