import type { Inside } from './inside.ts'
import type { Paid } from './payer.ts'

/** What is promised of a payer beside an aggressor. */
export const MOST_LOSS = 0.2
export const MOST_P99_MS = 50

/** A clock that shows so different figures for the same thing cannot tell a loss of `MOST_LOSS` (ours). */
const MOST_SPREAD = MOST_LOSS

/** One turn: what the payer saw, and what the router's thread took for all. */
export interface Turn extends Paid, Pick<Inside, 'threadMs' | 'processMs' | 'standP99Ms' | 'standMaxMs'> {
  readonly ms: number
}

/** How a payer fares alone and beside an aggressor. */
export interface Comparison {
  /** Part of the throughput that is lost, and milliseconds that p99 is longer, by the clock. */
  readonly loss: number
  readonly slowerMs: number
  /** How far the turns alone lie apart, as a part of their median. */
  readonly spread: number
  /** The router's thread, for each request of the payer. */
  readonly threadAloneMs: number
  readonly threadBesideMs: number
  /** Part of the thread's time that the aggressor takes; a payer that needs all of it loses as much. */
  readonly share: number
  /** Milliseconds that the thread's stretches are longer at their 99th percentile, see `Inside`. */
  readonly standsMs: number
  readonly failed: number
  /** What decides: the clock, unless its own turns disagree. */
  readonly judge: 'clock' | 'thread'
  readonly isKept: boolean
}

/** Compares medians, over turns that took turns. */
export function compare(alone: readonly Turn[], beside: readonly Turn[]): Comparison {
  const rates = alone.map(({ perSecond }) => perSecond)
  const rate = median(rates)
  const loss = 1 - median(beside.map(({ perSecond }) => perSecond)) / rate
  const slowerMs = median(beside.map(({ p99Ms }) => p99Ms)) - median(alone.map(({ p99Ms }) => p99Ms))
  const spread = (Math.max(...rates) - Math.min(...rates)) / rate
  const threadAloneMs = median(alone.map(perRequest))
  const share = median(beside.map(({ threadMs, requests, ms }) => (threadMs - requests * threadAloneMs) / ms))
  const standsMs =
    median(beside.map(({ standP99Ms }) => standP99Ms)) - median(alone.map(({ standP99Ms }) => standP99Ms))
  const failed = [...alone, ...beside].reduce((sum, turn) => sum + turn.failed, 0)
  const judge = spread > MOST_SPREAD ? 'thread' : 'clock'
  const [lost, later] = judge === 'clock' ? [loss, slowerMs] : [share, standsMs]
  return {
    loss,
    slowerMs,
    spread,
    threadAloneMs,
    threadBesideMs: median(beside.map(perRequest)),
    share,
    standsMs,
    failed,
    judge,
    isKept: lost <= MOST_LOSS && later <= MOST_P99_MS && failed === 0,
  }
}

function perRequest({ threadMs, requests }: Turn): number {
  return threadMs / requests
}

/** The middle one; of two, the mean. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2
}
