import { performance } from 'node:perf_hooks'

/** One instant on both clocks, in milliseconds. */
export interface Moment {
  readonly wallMs: number
  readonly monotonicMs: number
}

/** The clocks and timers of a machine; tests pass their own. */
export interface Clock {
  now(): Moment
  /** Runs a task once, later; the result cancels it. */
  schedule(delayMs: number, task: () => void): () => void
}

/** The clocks of this machine. */
export const systemClock: Clock = {
  now: () => ({ wallMs: Date.now(), monotonicMs: performance.now() }),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return () => clearTimeout(timer)
  },
}

/**
 * How much time has passed: the larger of what the two clocks say. The monotonic one stands still while a Linux
 * machine sleeps, the other can be set back (VERD-09).
 */
export function elapsedMs(since: Moment, now: Moment): number {
  return Math.max(now.wallMs - since.wallMs, now.monotonicMs - since.monotonicMs)
}
