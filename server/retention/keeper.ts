import { limits } from '#contract/limits'
import type { Log } from '../log.ts'
import { passes } from '../operations/drain.ts'
import { gauge, type Metric } from '../operations/metric.ts'
import { singleFlight } from '../operations/single-flight.ts'
import type { Sql } from '../store/connection.ts'
import { within } from '../store/retry.ts'
import { startTicker, type Ticker } from '../store/ticker.ts'
import { beginMonths, MONTHS_AHEAD, readProvision } from './months.ts'

/** Sees to it that there is a month for whatever is booked. */
export interface Keeper {
  readonly metrics: readonly Metric[]
  /** Resolves after the first look; one that fails is told in the log. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** How often months are looked after, and after one look that failed; ours. */
const INTERVAL_MS = 3_600_000
const RETRY_MS = 60_000

/** How long a last look may take as a router stops (ours). */
const STOP_MS = 1_000

/** What a keeper needs from the world. */
export interface KeeperOptions {
  /** Where months are; each has a name where there are several. */
  readonly databases: readonly Kept[]
  readonly log: Log
  readonly intervalMs?: number
}

interface Kept {
  readonly name?: string
  readonly sql: Sql
}

type Provision = Awaited<ReturnType<typeof readProvision>>

/** Makes the keeper of one router; several may look after the same months. */
export function createKeeper({ databases, log, intervalMs = INTERVAL_MS }: KeeperOptions): Keeper {
  const provisions = new Map<Kept, Provision>()
  // One that hangs is not asked anew: each time would take one more of its connections.
  const looks = databases.map((one) => singleFlight(() => lookAt(one)))
  const isAlone = databases.length === 1
  let ticker: Ticker | undefined

  /**
   * Of several, one that hangs keeps nobody from looking after the others, nor a router from starting (OPS-25): a cell
   * has its months before its first lease. A database that is alone is waited for.
   */
  async function look(): Promise<void> {
    const ended = await Promise.allSettled(
      looks.map((one) => (isAlone ? one() : within(one(), limits.databaseOutageMs))),
    )
    const failed = ended.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
  }

  async function lookAt(one: Kept): Promise<void> {
    const where = one.name === undefined ? {} : { cell: one.name }
    let provision = await readProvision(one.sql)
    try {
      if (provision.monthsAhead >= MONTHS_AHEAD) return
      const begun = await beginMonths(one.sql)
      if (begun > 0) log.info('months of records and ledger were begun', { ...where, count: begun })
      provision = await readProvision(one.sql)
    } finally {
      provisions.set(one, provision)
      const { astray: count } = provision
      if (count > 0) log.error('records or ledger rows lie in no month', { ...where, count })
    }
  }

  const told = (pick: (known: Provision) => number) => () =>
    [...provisions].map(([{ name }, provision]) => ({
      value: pick(provision),
      ...(name !== undefined && { labels: { cell: name } }),
    }))

  return {
    metrics: [
      gauge(
        'router.months.ahead',
        '{month}',
        'Months to come that have their tables already.',
        told(({ monthsAhead }) => monthsAhead),
      ),
      gauge(
        'router.months.astray',
        '{row}',
        'Records and ledger rows that lie in no month; 0 when all is well.',
        told(({ astray }) => astray),
      ),
    ],
    async start() {
      await look().catch((error: unknown) => log.warn('months cannot be looked after', { error }))
      ticker = startTicker({
        name: 'looking after months',
        intervalMs,
        retryMs: Math.min(intervalMs, RETRY_MS),
        log,
        task: look,
      })
    },
    async stop() {
      // A database that hangs must not keep the router from ending.
      if (ticker !== undefined) await passes(ticker.stop(), STOP_MS)
    },
  }
}
