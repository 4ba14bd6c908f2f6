import { createBatcher, isolating } from '../batch.ts'
import type { Log } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import { type DatabaseClock, HEARING } from '../store/database-clock.ts'
import { isOutage, OutageError } from '../store/outage.ts'
import { persist, within } from '../store/retry.ts'
import { type Case, type Judged, judgeBatch } from './statement.ts'

/** What the judge needs from the world. */
export interface JudgeOptions {
  readonly sql: Sql
  /** The router whose holds these are. */
  readonly replica: string
  readonly allowOverdraftMicros: () => number
  readonly clock: Pick<DatabaseClock, 'earliest'>
  /** How long a request waits for a database that is away. */
  readonly outageMs: number
  readonly log: Log
  /** Told when a hold may have been placed that nobody knows of: the answer to a statement was lost. */
  readonly onUncertain: () => void
}

/** Asks the database about requests. */
export interface Judge {
  /** What becomes of a request; its hold is durable when it is admitted. Throws `OutageError`. */
  judge(one: Omit<Case, 'isRetried' | 'untilMs'>): Promise<Judged>
  /** Has one connection prepare its statement, so that no request waits for that. */
  warm(): Promise<void>
  /** Gives up on a database that is away; resolves when nothing is under way. */
  stop(): Promise<void>
}

interface Entry extends Case {
  /** Its request has been answered already: it must not be admitted any more. */
  isAbandoned: boolean
}

/** Requests in one statement, ours. */
const MAX_ITEMS = 256

/** Judges in batches: one statement judges all that arrived while the last one ran. */
export function createJudge(options: JudgeOptions): Judge {
  const { outageMs, onUncertain } = options
  const stopping = new AbortController()
  const judgeEntries = isolating(
    (entries: readonly Entry[]) => judgeLive(entries, options, stopping.signal),
    isOutage,
  )
  const batcher = createBatcher(judgeEntries, { maxItems: MAX_ITEMS })

  return {
    judge(one) {
      const untilMs = performance.now() + outageMs
      const entry: Entry = { ...one, untilMs, isRetried: false, isAbandoned: false }
      return within(batcher.add(entry), outageMs * HEARING, () => {
        entry.isAbandoned = true
        onUncertain()
      })
    },
    async warm() {
      await judgeBatch([], options)
    },
    async stop() {
      stopping.abort()
      await batcher.idle()
    },
  }
}

async function judgeLive(
  entries: readonly Entry[],
  options: JudgeOptions,
  signal: AbortSignal,
): Promise<(Judged | Error)[]> {
  const onOutage = (error: unknown): void => {
    options.log.warn('admission waits for the database', { error, count: entries.length })
    options.onUncertain()
    for (const entry of entries) entry.isRetried = true
  }
  const attempt = async (): Promise<Map<Entry, Judged>> => {
    const live = entries.filter((entry) => !entry.isAbandoned)
    return live.length === 0 ? new Map() : await judgeBatch(live, options)
  }
  const judged = await persist(attempt, { signal, onOutage })
  return entries.map((entry) => judged.get(entry) ?? new OutageError('the database was away for too long'))
}
