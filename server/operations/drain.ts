import { setTimeout as sleep } from 'node:timers/promises'
import type { Listening } from '#base/listening.ts'
import { ApiError } from '../errors.ts'

/** Milliseconds of each step of a stop; read as it comes to it. */
export interface DrainTimers {
  /** Load balancers get so long to notice that the router is not ready. */
  readonly notReadyMs: number
  /** Running answers get so long to end. */
  readonly drainMs: number
}

/** A stop in steps (OPS-02). */
export interface Drain {
  readonly isDraining: boolean
  /** Ends what still runs at the deadline; its reason is what clients are told. */
  readonly signal: AbortSignal
  /** Closes what listens in all its steps. Resolves when no connection is left. */
  run(listening: Pick<Listening, 'server' | 'close'>): Promise<void>
}

/** How often connections that have become idle are closed at the end (ours). */
const SWEEP_MS = 25

/** How long the last settlements and error events may take after the deadline (ours). */
const END_MS = 5_000

/**
 * Not ready at once; no new connections after `notReadyMs`; running answers may end until `drainMs`, and the rest end
 * with an error event. A request that comes on an open connection meanwhile is answered, as the last one of that
 * connection: its sender could not know of the stop.
 */
export function createDrain(timers: DrainTimers): Drain {
  const deadline = new AbortController()
  let isDraining = false
  return {
    get isDraining() {
      return isDraining
    },
    signal: deadline.signal,
    async run({ server, close }) {
      isDraining = true
      await sleep(timers.notReadyMs)
      const closed = close()
      // A connection is idle, and may be closed, once its answer has been handed over.
      const sweeper = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
      await passes(closed, timers.drainMs)
      deadline.abort(new ApiError('internal', 'The router is shutting down. Send the request again.'))
      await passes(closed, END_MS)
      clearInterval(sweeper)
      server.closeAllConnections()
    },
  }
}

/** Resolves when the event has come or the time is over, whichever is first. */
export async function passes(event: Promise<unknown>, limitMs: number): Promise<void> {
  const timer = new AbortController()
  await Promise.race([event, sleep(limitMs, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
}
