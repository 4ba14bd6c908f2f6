import type { Log } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import { appendEvent, type UpstreamEvent } from './events.ts'

/** Writes down each transition of this router's verdicts, in their order. */
export interface Reporter {
  /** Tells of a transition; it is written as soon as the database takes it. */
  report(event: Omit<UpstreamEvent, 'replica'>): void
  /** Writes what waits; throws when the database does not take it. */
  flush(): Promise<void>
}

/** Events that wait for a database that is away; beyond them the oldest are given up, and said so (ours). */
const MAX_WAITING = 1_000

/** Creates the reporter of one router. */
export function createReporter({
  sql,
  replica,
  log,
}: {
  readonly sql: Sql
  readonly replica: string
  readonly log: Log
}): Reporter {
  const waiting: UpstreamEvent[] = []
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    for (let event = waiting[0]; event !== undefined; event = waiting[0]) {
      await appendEvent(sql, event)
      // It may have been given up meanwhile.
      if (waiting[0] === event) waiting.shift()
    }
  }

  function flush(): Promise<void> {
    writing ??= write().finally(() => {
      writing = undefined
    })
    return writing
  }

  return {
    report(event) {
      const { upstream, event: state, stage, reason } = event
      if (state !== 'foreign_answer') log.info(`an upstream is ${state}`, { upstream, stage, reason })
      waiting.push({ ...event, replica })
      if (waiting.length > MAX_WAITING) {
        waiting.shift()
        log.error('an event of an upstream was lost: the database has been away for too long', { upstream })
      }
      flush().catch(() => undefined)
    },
    flush,
  }
}
