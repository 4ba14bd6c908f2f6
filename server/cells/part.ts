import { limits } from '#contract/limits'
import type { Log } from '../log.ts'
import type { Meter } from '../meter.ts'
import { passes } from '../operations/drain.ts'
import { isOutage } from '../store/outage.ts'
import { within } from '../store/retry.ts'
import { startTicker, type Ticker } from '../store/ticker.ts'

/** A cell as one router works with it. */
export interface CellPart {
  readonly name: string
  readonly meter: Meter
  /** Makes the cell ready and takes a lease there. Throws what the database says. */
  begin(): Promise<void>
  /** As `begin`, but a cell that is away is tried again until it is back; what else is wrong with it is thrown. */
  beginLater(): Promise<void>
  stop(): Promise<void>
}

/** What a part needs from the world. */
export interface CellPartOptions {
  readonly name: string
  readonly meter: Meter
  /** What comes before the first lease. */
  readonly prepare: () => Promise<unknown>
  readonly log: Log
}

/** How often a cell that was away at the start is tried (ours). */
const RETRY_MS = 1_000

/** How long a last try may take as a router stops (ours). */
const STOP_MS = 1_000

/** Nothing is asked of the cell before one of the `begin`s. */
export function createCellPart({ name, meter, prepare, log }: CellPartOptions): CellPart {
  let underWay: Promise<void> | undefined
  let ticker: Ticker | undefined
  let isStopped = false

  /** One at a time, and never again once it has succeeded. */
  function begin(): Promise<void> {
    underWay ??= beginAnew().catch((error: unknown) => {
      underWay = undefined
      throw error
    })
    return underWay
  }

  async function beginAnew(): Promise<void> {
    await prepare()
    if (!isStopped) await meter.start()
  }

  return {
    name,
    meter,
    begin,
    async beginLater() {
      try {
        await within(begin(), limits.databaseOutageMs)
      } catch (error) {
        if (!isOutage(error)) throw error
        log.error('a cell is away: its workspaces are refused until it is back', { cell: name, error })
        ticker = startTicker({
          name: `taking up the cell ${name}`,
          intervalMs: RETRY_MS,
          log,
          task: begin,
        })
      }
    },
    async stop() {
      isStopped = true
      // A database that hangs must not keep the router from ending.
      await Promise.all([ticker && passes(ticker.stop(), STOP_MS), meter.stop()])
    },
  }
}
