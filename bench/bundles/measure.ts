import { performance } from 'node:perf_hooks'
import { type Case, judge } from './case.ts'

/**
 * Milliseconds that judging a case takes: the clock's, or the process's own where that is less. Both are at least what
 * the thread was busy; the first counts what other programs took, the second what helpers did meanwhile.
 */
export async function timeOf(one: Case): Promise<number> {
  const startedMs = performance.now()
  const before = process.cpuUsage()
  await judge(one)
  const { user, system } = process.cpuUsage(before)
  return Math.min(performance.now() - startedMs, (user + system) / 1_000)
}

/** The middle of several times. */
export async function medianOf(one: Case, runs: number): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) times.push(await timeOf(one))
  return times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? 0
}
