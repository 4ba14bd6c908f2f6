import type { Log } from '../log.ts'
import type { Sql } from '../store/connection.ts'

/** What it chooses among, and how. */
export interface SettlementPoolOptions {
  /** Admission's, which is ready before the first request. */
  readonly shared: Sql
  /** Settlement's own. */
  readonly own: Sql
  /** Has a pool connect and prepare what is asked on it; rejects where it cannot. */
  readonly warm: (sql: Sql) => Promise<void>
  readonly log: Pick<Log, 'warn'>
}

/** Where settlement writes: in its own pool as soon, and for as long, as that can be used. */
export interface SettlementPool {
  readonly current: Sql
  /** Has its own made ready after a while, and again until it is. */
  start(): void
  /** There was no room for a connection there. Any other failure is waited out where it came: the shared one may hang. */
  distrust(failed: Sql): void
  stop(): void
}

/**
 * When its own is made ready, and after which rest once it was not, ours. At the start the first request waits for each
 * connection that is opened before it as long as for all of its own work (docs/performance.md).
 */
const LATER_MS = 1_000

/**
 * A server that is full, or a role that may have so many connections, gives admission one and settlement none: what is
 * admitted is settled over the one that there is.
 */
export function createSettlementPool({ shared, own, warm, log }: SettlementPoolOptions): SettlementPool {
  let current = shared
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let isTold = false

  function partLater(): void {
    if (isOver || own === shared) return
    clearTimeout(timer)
    timer = setTimeout(() => void part(), LATER_MS).unref()
  }

  async function part(): Promise<void> {
    try {
      await warm(own)
      current = own
      isTold = false
    } catch (error) {
      if (!isTold && !isOver)
        log.warn('settlement has no connection of its own, and shares that of admission', { error })
      isTold = true
      partLater()
    }
  }

  return {
    get current() {
      return current
    },
    start: partLater,
    distrust(failed) {
      if (failed !== current || failed === shared) return
      current = shared
      partLater()
    },
    stop() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
