import { createBatcher, isolating } from '../batch.ts'
import type { Log } from '../log.ts'
import { columnsOf } from '../store/columns.ts'
import type { Sql } from '../store/connection.ts'
import type { DatabaseClock } from '../store/database-clock.ts'
import { createId } from '../store/ids.ts'
import { isPassing, isWithoutRoom } from '../store/outage.ts'
import { persist } from '../store/retry.ts'
import { rowsOf } from '../store/rows-of.ts'
import type { UsageSource } from './generation.ts'
import type { SettlementPool } from './settlement-pool.ts'

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

/**
 * `reaped`: there was no hold any more, because another router has settled it. `withheld`: it came too late, and is
 * settled as of an answer that was withheld.
 */
export type SettlementResult = 'settled' | 'reaped' | 'withheld'

/** How long the client of an answer waits for its settlement, and what it is told then. */
export interface Patience {
  /** A moment of `performance.now()`: the database settles nothing as delivered from then on. */
  readonly untilMs: number
  /** What is written once the client is told of an error in place of the answer's end (CRED-33); rarely asked for. */
  readonly withheld: () => SettlementItem
}

/** What settlement needs from the world. */
export interface SettlementOptions {
  /** Asked for each statement, and each try of one. */
  readonly pool: Pick<SettlementPool, 'current' | 'distrust'>
  /** The router that settles. */
  readonly replica: string
  readonly clock: Pick<DatabaseClock, 'earliest'>
  readonly log: Log
}

/** An end on its way into the books. */
export interface Settling {
  /** Resolves once it is committed, however long the database is away; rejects if it refuses the record. */
  readonly written: Promise<SettlementResult>
  /**
   * Its client was told of an error before it was written: whenever that happens, what stands there is that it was
   * withheld. What is committed nevertheless is corrected.
   */
  withhold(): void
}

/** Writes the ends of generations, each exactly once. */
export interface Settlement {
  /** Without `patience` no client waits for it. */
  settle(item: SettlementItem, patience?: Patience): Settling
  /** Ends that are not committed yet. */
  readonly waiting: number
  /** Has a connection prepare its statement, so that no answer waits for that. */
  warm(sql: Sql): Promise<void>
  /** Resolves when all is written. */
  idle(): Promise<void>
  /** Gives up on a database that is away: what is not written then is left to a reaper. */
  stop(): Promise<void>
}

/** Generations in one statement, ours. */
const MAX_ITEMS = 512

/** One end in a batch. */
interface Slip {
  readonly item: SettlementItem
  readonly patience: Patience | undefined
  isWithheld: boolean
}

/** Settles in batches: one transaction writes all that ended while the last one ran. */
export function createSettlement(options: SettlementOptions): Settlement {
  const { pool } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const settleAll = isolating((slips: readonly Slip[]) => {
    const onOutage = (error: unknown): void => {
      options.log.warn('settlement waits for the database', { error, count: slips.length })
    }
    const attempt = <T>(write: (sql: Sql) => Promise<T>) => {
      const { current } = pool
      return write(current).catch((error) => {
        if (isWithoutRoom(error)) pool.distrust(current)
        throw error
      })
    }
    const persistently: Persistently = (write) =>
      persist(() => attempt(write), { signal, onOutage, passes: isPassing })
    return settleAsSeen(options, slips, persistently)
  }, isPassing)
  const batcher = createBatcher(settleAll, { maxItems: MAX_ITEMS })
  return {
    settle(item, patience) {
      const slip: Slip = { item, patience, isWithheld: false }
      return {
        written: batcher.add(slip),
        withhold() {
          slip.isWithheld = true
        },
      }
    },
    get waiting() {
      return batcher.size
    },
    async warm(sql) {
      await settleOnce(sql, options, [])
    },
    idle: batcher.idle,
    async stop() {
      stopping.abort()
      await batcher.idle()
    },
  }
}

/** Tries until it is written, each time where settlement writes then. */
type Persistently = <T>(write: (sql: Sql) => Promise<T>) => Promise<T>

/**
 * Writes the ends of generations so that each record says what its client saw. A statement may be under way when the
 * database falls silent, and be carried out long after nobody waits for it any more: the database itself then settles
 * nothing as delivered, and what is late is written again as withheld. What was committed in time, but not heard of
 * in time, is corrected, before anybody here is told that it is written.
 */
async function settleAsSeen(
  options: SettlementOptions,
  slips: readonly Slip[],
  persistently: Persistently,
): Promise<SettlementResult[]> {
  const rows = await persistently((sql) => settleOnce(sql, options, slips))
  const late = slips.filter((_, index) => rows[index]?.outcome === 'late')
  for (const slip of late) slip.isWithheld = true
  const again = late.length === 0 ? [] : await persistently((sql) => settleOnce(sql, options, late))
  const rowOf = new Map(slips.map((slip, index) => [slip, rows[index]]))
  for (const [index, slip] of late.entries()) rowOf.set(slip, again[index])
  const corrected = new Set<Slip>()
  for (;;) {
    // While some are corrected, the patience with others may end.
    const wrong = slips.filter((slip) => isWrong(slip, rowOf.get(slip)) && !corrected.has(slip))
    if (wrong.length === 0) return slips.map((slip) => resultOf(slip, rowOf.get(slip)))
    options.log.warn('answers that were withheld had been recorded as delivered', { count: wrong.length })
    await persistently((sql) => correct(sql, wrong.map(writtenOf)))
    for (const slip of wrong) corrected.add(slip)
  }
}

function isWrong({ isWithheld }: Slip, row: Row | undefined): boolean {
  return isWithheld && row?.outcome === 'settled' && row.status === 'ok'
}

function resultOf({ isWithheld }: Slip, row: Row | undefined): SettlementResult {
  if (row?.outcome !== 'settled') return 'reaped'
  return isWithheld ? 'withheld' : 'settled'
}

/** What is to stand in the books, as far as is known now. */
function writtenOf({ item, patience, isWithheld }: Slip): SettlementItem {
  return isWithheld && patience ? patience.withheld() : item
}

/** By the database's clock; what no client saw as whole is written whenever it may be. */
function deadlineOf({ item, patience, isWithheld }: Slip, clock: SettlementOptions['clock']): Date | null {
  if (isWithheld || patience === undefined || item.status !== 'ok') return null
  return clock.earliest(patience.untilMs) ?? null
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
  readonly outcome: 'settled' | 'reaped' | 'late'
  /** What the record says; null where there is none. */
  readonly status: SettlementItem['status'] | null
}

/** One statement; its text is what an operator looks for in the database's statistics. */
async function settleOnce(
  sql: Sql,
  { replica, clock }: SettlementOptions,
  slips: readonly Slip[],
): Promise<Row[]> {
  const { timestamptz } = columnsOf(sql, slips)
  const { text, bigint, integer } = columnsOf(sql, slips.map(writtenOf))
  return await rowsOf(sql<Row[]>`select * from settle_generations(
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
    ${integer((item) => item.timeToFirstTokenMs)}::integer[],
    ${timestamptz((slip) => deadlineOf(slip, clock))}::timestamptz[]
  )`)
}
