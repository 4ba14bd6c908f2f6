import { limits } from '#contract/limits'
import type { Applicant } from './admission/applicant.ts'
import type { Caller } from './admission/caller.ts'
import { createGate, type Reservation } from './admission/gate.ts'
import type { Buckets } from './limits/buckets.ts'
import type { KeyRates } from './limits/key-rates.ts'
import type { Log } from './log.ts'
import { writeCheckpoint } from './metering/checkpoint.ts'
import { createGeneration, type GenerationOptions } from './metering/create-generation.ts'
import type { RunningGeneration } from './metering/generation.ts'
import { createLastUse } from './metering/last-use.ts'
import { endLease, renewLease } from './metering/lease.ts'
import { moveHold } from './metering/move-hold.ts'
import { createReaper, type Reaped } from './metering/reaper.ts'
import { createRunningSet } from './metering/running.ts'
import { createSettlement } from './metering/settlement.ts'
import { createSettlementPool } from './metering/settlement-pool.ts'
import type { Bookings } from './store/cells.ts'
import type { Sql } from './store/connection.ts'
import { createDatabaseClock } from './store/database-clock.ts'
import { createId } from './store/ids.ts'
import { within } from './store/retry.ts'
import { startTicker, type Ticker } from './store/ticker.ts'

/** Milliseconds; the defaults are the contract's, tests pass shorter ones. */
export interface MeterTimers {
  /** When a lease that is not renewed lapses. */
  readonly leaseMs: number
  /** At most a quarter of a lease. */
  readonly renewMs: number
  readonly reapMs: number
  readonly checkpointMs: number
  /** How long an admission and the end of an answer wait for the database. */
  readonly outageMs: number
}

/** What the meter needs from the world. */
export interface MeterOptions {
  readonly sql: Sql
  /** `sql` does what they do when left out. */
  readonly bookings?: Bookings | undefined
  readonly allowOverdraftMicros: () => number
  readonly buckets: Buckets
  readonly log: Log
  readonly timers?: Partial<MeterTimers>
}

/** Whose a key is. */
export interface Owner extends KeyRates {
  /** Where they live; undefined with one database. */
  readonly cell?: string
}

/** Admission, counting and settlement of all metered routes of one router. */
export interface Meter {
  /** The name under which this router holds its lease. */
  readonly replica: string
  /** Takes the lease; nothing may be accepted before. */
  start(): Promise<void>
  /** Asks about a large body before it is read; see `Gate.reserve`. */
  reserve(caller: Caller, isFree: boolean): Promise<Reservation>
  /**
   * Accepts a request: its hold is durable when this resolves. Throws `ApiError` when it is refused and
   * `OutageError` when the database is away for too long.
   */
  accept(applicant: Applicant, reserved?: Reservation): Promise<RunningGeneration>
  /** Whose a key is, as far as that is known without asking; see `Gate.ownerOf`. */
  ownerOf(keyHash: string): Owner | undefined
  /** It may not be used any more: whoever comes with it is a stranger. */
  forget(keyHash: string): void
  /** Whether a generation of this router is not in the books yet, or not as its client saw it. */
  isRunning(generationId: string): boolean
  /** Accepted and not yet settled. */
  readonly runningCount: number
  /** Ends of generations that are not committed yet: by so much the ledger lags behind. */
  readonly waitingCount: number
  /** Whether the lease was renewed lately enough; without one, nothing may be accepted. */
  readonly isLeased: boolean
  /** What this router has settled in place of others. */
  readonly reaped: Readonly<Reaped>
  /** Resolves when everything accepted is settled. */
  drain(): Promise<void>
  /** Stops all timers and gives the lease back; what is not settled by then is left to be reaped. */
  stop(): Promise<void>
}

const defaults: MeterTimers = {
  leaseMs: limits.leaseMs,
  renewMs: limits.leaseRenewMs,
  // Ours: a lapsed router's holds are not kept waiting.
  reapMs: 1_000,
  checkpointMs: limits.checkpointMs,
  outageMs: limits.databaseOutageMs,
}

/** Milliseconds, ours: a renewal that failed is due again at once. */
const RENEW_RETRY_MS = 250

/** How long own holds are compared with memory after an answer was lost, and how often without cause; ours. */
const SUSPICION_MS = 60_000
const SWEEP_MS = 60_000

/** Wires admission, settlement, lease, checkpoints and reaper of one router together. */
export function createMeter(options: MeterOptions): Meter {
  const {
    sql,
    bookings = { admission: sql, settlement: sql },
    allowOverdraftMicros,
    buckets,
    log,
    timers,
  } = options
  const { leaseMs, renewMs, reapMs, checkpointMs, outageMs } = { ...defaults, ...timers }
  const replica = createId('rep_')
  const running = createRunningSet()
  const lastUse = createLastUse(sql)
  let suspiciousUntil = 0
  let sweptAt = 0
  let leasedUntil = 0
  let tickers: Ticker[] = []

  const onUncertain = (): void => {
    suspiciousUntil = performance.now() + SUSPICION_MS
  }
  const clock = createDatabaseClock()
  const pool = createSettlementPool({
    shared: bookings.admission,
    own: bookings.settlement,
    warm: (own) => settlement.warm(own),
    log,
  })
  const settlement = createSettlement({ pool, replica, clock, log })
  const gate = createGate({
    sql: bookings.admission,
    replica,
    allowOverdraftMicros,
    clock,
    buckets,
    outageMs,
    log,
    onUncertain,
  })
  const moveToOther: GenerationOptions['moveHold'] = (one, served) => moveHold(sql, one, served)
  const generations = { settlement, moveHold: moveToOther, buckets, running, outageMs, log, onUncertain }
  const reaper = createReaper({ sql, replica, leaseMs, settlement, running, buckets, log })

  async function renew(): Promise<void> {
    const asked = performance.now()
    const shown = await renewLease({ sql, replica, leaseMs })
    clock.note(shown, asked, performance.now())
    leasedUntil = asked + leaseMs
  }

  async function tidy(): Promise<void> {
    await writeCheckpoint(sql, running.accepted)
    const now = performance.now()
    if (now > suspiciousUntil && now < sweptAt + SWEEP_MS) return
    sweptAt = now
    await reaper.sweep()
  }

  return {
    replica,
    async start() {
      await renew()
      await gate.warm()
      await settlement.warm(pool.current)
      pool.start()
      const ticker = (name: string, intervalMs: number, task: () => Promise<void>, retryMs = intervalMs) =>
        startTicker({ name, intervalMs, retryMs, log, task })
      tickers = [
        ticker('renewing the lease', renewMs, renew, Math.min(renewMs, RENEW_RETRY_MS)),
        ticker('looking for lapsed routers', reapMs, reaper.reap),
        ticker('writing a checkpoint', checkpointMs, tidy),
        ticker('writing last uses', limits.lastUsedMs, lastUse.write),
      ]
    },
    reserve: gate.reserve,
    async accept(applicant, reserved) {
      const { id } = applicant.generation
      const place = running.expect(id)
      try {
        const accepted = await gate.admit(applicant, reserved)
        lastUse.note(accepted.key.keyId, accepted.key.workspaceId)
        return createGeneration(accepted, place, generations, applicant.settling)
      } catch (error) {
        running.remove(place)
        throw error
      }
    },
    ownerOf: gate.ownerOf,
    forget: gate.forget,
    isRunning: (generationId) => running.has(generationId),
    get runningCount() {
      return running.size
    },
    get waitingCount() {
      return settlement.waiting
    },
    get isLeased() {
      return performance.now() < leasedUntil
    },
    reaped: reaper.reaped,
    drain: running.empty,
    async stop() {
      pool.stop()
      // Each step is given the time of an outage: a database that hangs must not keep the router from ending.
      const patiently = (step: Promise<unknown>): Promise<void> =>
        within(step, outageMs).then(
          () => {},
          (error) => log.warn('the meter stops without the database', { error }),
        )
      await patiently(settlement.idle())
      await patiently(Promise.all(tickers.map((ticker) => ticker.stop())))
      await patiently(Promise.all([gate.stop(), settlement.stop()]))
      leasedUntil = 0
      await patiently(lastUse.write().then(() => endLease(sql, replica)))
    },
  }
}
