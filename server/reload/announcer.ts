import { hostname } from 'node:os'
import { limits } from '#contract/limits'
import type { Log } from '../log.ts'
import { passes } from '../operations/drain.ts'
import type { Sql } from '../store/connection.ts'
import { sparingly } from '../store/retry.ts'
import { startTicker, type Ticker } from '../store/ticker.ts'
import type { Edition } from './edition.ts'
import type { Reloader } from './reloader.ts'
import { readAsked, recordState } from './sharing.ts'

/** Writes to the database what this router runs, and reloads when a reload is asked for there. */
export interface Announcer {
  /** Says it for the first time; the router must have its lease. */
  start(): Promise<void>
  /** This router's own reload has changed what there is to say; it is said within a moment. */
  changed(): void
  stop(): Promise<void>
}

/** What an announcer needs from the router. */
export interface AnnouncerOptions {
  readonly sql: Sql
  /** The name under which this router holds its lease. */
  readonly replica: string
  readonly reloader: Reloader
  /** The edition in force. */
  readonly current: () => Edition
  readonly log: Log
}

/** How often the table is read (ours). */
const READ_MS = 500

/** How long a last look may take as a router stops (ours). */
const STOP_MS = 1_000

/**
 * Asks again and again: through a pooler nobody can be told (OPS-06). What was asked while this router started is
 * acted upon once more, for it may have read its file before.
 */
export function createAnnouncer({ sql, replica, reloader, current, log }: AnnouncerOptions): Announcer {
  // A connection that has died without a word must not keep this router from hearing of the next reload.
  const inTime = sparingly(limits.databaseOutageMs)
  let answered = 0n
  let isSaid = false
  let isFailing = false
  let ticker: Ticker | undefined

  async function look(): Promise<void> {
    const { asked, isRecorded } = await inTime(() => readAsked(sql, replica))
    if (asked > answered) {
      reloader.reload()
      answered = asked
      isSaid = false
    }
    if (!isSaid || !isRecorded) await say()
  }

  async function say(): Promise<void> {
    const { version, since: takenUpAt } = current()
    const { refusal } = reloader
    const host = hostname()
    isSaid = true
    try {
      await inTime(() =>
        recordState(sql, { replica, host, pid: process.pid, version, takenUpAt, answered, refusal }),
      )
    } catch (error) {
      isSaid = false
      throw error
    }
  }

  async function lookOrTell(): Promise<void> {
    try {
      await look()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn('nobody can ask for a reload: the database is away', { error })
      isFailing = true
    }
  }

  return {
    async start() {
      await look()
      ticker = startTicker({ name: 'looking for reloads', intervalMs: READ_MS, log, task: lookOrTell })
    },
    changed() {
      isSaid = false
    },
    async stop() {
      // A database that hangs must not keep the router from ending.
      if (ticker !== undefined) await passes(ticker.stop(), STOP_MS)
    },
  }
}
