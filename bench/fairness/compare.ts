import type { Inside } from './inside.ts'
import type { Paid } from './payer.ts'

/** What is promised of a payer beside an aggressor. */
export const MOST_LOSS = 0.2
export const MOST_P99_MS = 50

/** One turn: what the payer saw, and what the router's thread took for all. */
export interface Turn extends Paid, Pick<Inside, 'threadMs' | 'processMs' | 'waitP99Ms' | 'standMaxMs'> {
  readonly ms: number
  /** What the router read meanwhile. */
  readonly readBytes: number
}

/** How a payer fares alone and beside an aggressor. */
export interface Comparison {
  /** Part of the throughput that is lost, and milliseconds that p99 is longer, by the clock. */
  readonly loss: number
  readonly slowerMs: number
  /** How far the turns alone lie apart: as a part of their median rate, and in milliseconds of p99. */
  readonly spread: number
  readonly p99SpreadMs: number
  /** The router's thread, for each request of the payer. */
  readonly threadAloneMs: number
  readonly threadBesideMs: number
  /** Part of the thread's time that the aggressor takes; a payer that needs all of it loses as much. */
  readonly share: number
  /** Milliseconds that a request waits longer for the thread at its 99th percentile, see `Inside`. */
  readonly waitsMs: number
  readonly failed: number
  /** What decides: the clock, unless the turns alone differ by more than what they are to show. */
  readonly judge: 'clock' | 'thread'
  readonly isKept: boolean
}

/** Compares medians, over turns that took turns. */
export function compare(alone: readonly Turn[], beside: readonly Turn[]): Comparison {
  const rates = alone.map(({ perSecond }) => perSecond)
  const rate = median(rates)
  const loss = 1 - median(beside.map(({ perSecond }) => perSecond)) / rate
  const slowerMs = median(beside.map(({ p99Ms }) => p99Ms)) - median(alone.map(({ p99Ms }) => p99Ms))
  const spread = width(rates) / rate
  const p99SpreadMs = width(alone.map(({ p99Ms }) => p99Ms))
  const threadAloneMs = median(alone.map(perRequest))
  const share = median(beside.map(({ threadMs, requests, ms }) => (threadMs - requests * threadAloneMs) / ms))
  const waitsMs =
    median(beside.map(({ waitP99Ms }) => waitP99Ms)) - median(alone.map(({ waitP99Ms }) => waitP99Ms))
  const failed = [...alone, ...beside].reduce((sum, turn) => sum + turn.failed, 0)
  const judge = spread > MOST_LOSS || p99SpreadMs > MOST_P99_MS ? 'thread' : 'clock'
  const [lost, later] = judge === 'clock' ? [loss, slowerMs] : [share, waitsMs]
  return {
    loss,
    slowerMs,
    spread,
    p99SpreadMs,
    threadAloneMs,
    threadBesideMs: median(beside.map(perRequest)),
    share,
    waitsMs,
    failed,
    judge,
    isKept: lost <= MOST_LOSS && later <= MOST_P99_MS && failed === 0,
  }
}

function width(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values)
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
