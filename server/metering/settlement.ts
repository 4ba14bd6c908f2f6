import { createBatcher, isolating } from '../batch.ts'
import type { Log } from '../log.ts'
import { columnsOf } from '../store/columns.ts'
import type { Sql } from '../store/connection.ts'
import { createId } from '../store/ids.ts'
import { isPassing } from '../store/outage.ts'
import { persist } from '../store/retry.ts'
import type { UsageSource } from './generation.ts'

/** What is written about the end of a generation; the rest is in its hold. */
export interface SettlementItem {
  readonly workspaceId: string
  readonly generationId: string
  readonly status: 'ok' | 'aborted'
  readonly finishReason: string | null
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: number
  readonly usageSource: UsageSource
  readonly latencyMs: number
  readonly timeToFirstTokenMs: number | null
}

/** `reaped`: there was no hold any more, because another router has settled it. */
export type SettlementResult = 'settled' | 'reaped'

/** What settlement needs from the world. */
export interface SettlementOptions {
  readonly sql: Sql
  /** The router that settles. */
  readonly replica: string
  readonly log: Log
  /** How many generations run, and so may end soon. */
  readonly runningCount: () => number
}

/** An end on its way into the books. */
export interface Settling {
  /** Resolves once it is committed, however long the database is away; rejects if it refuses the record. */
  readonly written: Promise<SettlementResult>
  /**
   * Its client was told of an error before it was written: whenever that happens, `seen` is what stands there (CRED-33).
   * What has been sent already is corrected.
   */
  withhold(seen: SettlementItem): void
}

/** Writes the ends of generations, each exactly once. */
export interface Settlement {
  settle(item: SettlementItem): Settling
  /** Ends that are not committed yet. */
  readonly waiting: number
  /** Has one connection prepare its statement, so that no answer waits for that. */
  warm(): Promise<void>
  /** Resolves when all is written. */
  idle(): Promise<void>
  /** Gives up on a database that is away: what is not written then is left to a reaper. */
  stop(): Promise<void>
}

/** Generations in one statement, ours. */
const MAX_ITEMS = 512

/**
 * Of many that run, a quarter is worth a statement at once (ours): 64 streams that began together and end
 * one by one are settled by fewer than 20 statements, and with fewer than eight running nobody ever waits.
 */
const SHARE = 4
const MOST_WORTHWHILE = 32

/** One end in a batch: the item to write, by the time that a statement is made of it. */
interface Slip {
  item: SettlementItem
  isWithheld: boolean
}

/** Settles in batches: one transaction writes all that ended while the last one ran. */
export function createSettlement(options: SettlementOptions): Settlement {
  const stopping = new AbortController()
  const { signal } = stopping
  const settleAll = isolating((slips: readonly Slip[]) => {
    const onOutage = (error: unknown): void => {
      options.log.warn('settlement waits for the database', { error, count: slips.length })
    }
    const persistently = <T>(write: () => Promise<T>) =>
      persist(write, { signal, onOutage, passes: isPassing })
    return settleAsSeen(options, slips, persistently)
  }, isPassing)
  const worthwhile = () => Math.min(MOST_WORTHWHILE, Math.floor(options.runningCount() / SHARE))
  const batcher = createBatcher(settleAll, { maxItems: MAX_ITEMS, worthwhile })
  return {
    settle(item) {
      const slip: Slip = { item, isWithheld: false }
      return {
        written: batcher.add(slip),
        withhold(seen) {
          slip.item = seen
          slip.isWithheld = true
        },
      }
    },
    get waiting() {
      return batcher.size
    },
    async warm() {
      await settleOnce(options, [])
    },
    idle: batcher.idle,
    async stop() {
      stopping.abort()
      await batcher.idle()
    },
  }
}

/**
 * Writes the ends of generations so that each record says what its client saw. A statement that is under way when the
 * database falls silent may be committed long after nobody waits for it any more, with what was true when it was
 * sent: what it then says wrongly is corrected, before anybody here is told that it is written.
 */
async function settleAsSeen(
  options: SettlementOptions,
  slips: readonly Slip[],
  persistently: <T>(write: () => Promise<T>) => Promise<T>,
): Promise<SettlementResult[]> {
  const itemsOf = (some: readonly Slip[]) => some.map(({ item }) => item)
  const rows = await persistently(() => settleOnce(options, itemsOf(slips)))
  const corrected = new Set<Slip>()
  for (;;) {
    // While some are corrected, the patience with others may end.
    const wrong = slips.filter((slip, index) => isWrong(slip, rows[index]) && !corrected.has(slip))
    if (wrong.length === 0) return rows.map((row) => row.outcome)
    options.log.warn('answers that were withheld had been recorded as delivered', { count: wrong.length })
    await persistently(() => correct(options.sql, itemsOf(wrong)))
    for (const slip of wrong) corrected.add(slip)
  }
}

function isWrong({ isWithheld }: Slip, row: Row | undefined): boolean {
  return isWithheld && row?.outcome === 'settled' && row.status === 'ok'
}

/** The record stays; what the client saw, and a refund of the difference, are written beside it. */
async function correct(sql: Sql, items: readonly SettlementItem[]): Promise<void> {
  const { text, bigint } = columnsOf(sql, items)
  await sql`select correct_generations(
    ${text((item) => item.workspaceId)}::text[],
    ${text((item) => item.generationId)}::text[],
    ${bigint((item) => item.completionTokens)}::bigint[],
    ${bigint((item) => item.costMicros)}::bigint[],
    ${text(() => createId('led_'))}::text[]
  )`
}

interface Row {
  readonly outcome: SettlementResult
  /** What the record says; null where there is none. */
  readonly status: SettlementItem['status'] | null
}

/** One statement; its text is what an operator looks for in the database's statistics. */
async function settleOnce(
  { sql, replica }: SettlementOptions,
  items: readonly SettlementItem[],
): Promise<Row[]> {
  const { text, bigint, integer } = columnsOf(sql, items)
  return await sql<Row[]>`select * from settle_generations(
    ${replica}::text,
    ${text((item) => item.workspaceId)}::text[],
    ${text((item) => item.generationId)}::text[],
    ${text((item) => item.status)}::text[],
    ${text((item) => item.finishReason)}::text[],
    ${bigint((item) => item.promptTokens)}::bigint[],
    ${bigint((item) => item.completionTokens)}::bigint[],
    ${text((item) => item.usageSource)}::text[],
    ${bigint((item) => item.costMicros)}::bigint[],
    ${integer((item) => item.latencyMs)}::integer[],
    ${integer((item) => item.timeToFirstTokenMs)}::integer[]
  )`
}
