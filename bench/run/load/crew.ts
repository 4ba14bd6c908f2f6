import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Histogram } from '../statistics/histogram.ts'
import type { Command, Order, Report } from './order.ts'

/** What all processes of the load counted together. */
export interface Counted extends Omit<Report, 'latency' | 'firstByte' | 'chunkDelay'> {
  readonly latency: Histogram
  readonly firstByte: Histogram
  readonly chunkDelay: Histogram
}

/** The load, in several processes. */
export interface Load {
  readonly pids: readonly number[]
  /** Divides the order's clients among the processes; they go on until `stop`. */
  start(order: Order): void
  /** Counts from now on. */
  count(): void
  /** What was counted since. */
  report(): Promise<Counted>
  stop(): void
  close(): void
}

/** Starts so many processes that wait for orders. */
export function startLoad(processes: number): Load {
  const workers = Array.from({ length: processes }, () => fork(join(import.meta.dirname, 'worker.ts')))
  const tell = (worker: ChildProcess, command: Command): void => void worker.send(command)
  return {
    pids: workers.map(({ pid }) => pid!),
    start(order) {
      const shares = sharesOf(order.clients, processes)
      for (const [place, worker] of workers.entries())
        if (shares[place]! > 0) tell(worker, { start: { ...order, clients: shares[place]! } })
    },
    count() {
      for (const worker of workers) tell(worker, 'count')
    },
    async report() {
      const reports = workers.map(async (worker) => {
        const answered = once(worker, 'message')
        tell(worker, 'report')
        return (await answered)[0] as Report
      })
      return combine(await Promise.all(reports))
    },
    stop() {
      for (const worker of workers) tell(worker, 'stop')
    },
    close() {
      // A signal to all of the group has ended them already.
      for (const worker of workers) if (worker.connected) worker.disconnect()
    },
  }
}

/** As evenly as whole numbers can be. */
export function sharesOf(clients: number, processes: number): number[] {
  const least = Math.floor(clients / processes)
  return Array.from({ length: processes }, (_, place) => least + (place < clients % processes ? 1 : 0))
}

/** Adds up what several processes counted at the same time. */
export function combine(reports: readonly Report[]): Counted {
  const sum = (read: (report: Report) => number): number =>
    reports.reduce((total, report) => total + read(report), 0)
  const histogram = (read: (report: Report) => Report['latency']): Histogram => {
    const all = new Histogram()
    for (const report of reports) all.add(read(report))
    return all
  }
  return {
    seconds: Math.max(...reports.map(({ seconds }) => seconds)),
    requests: sum(({ requests }) => requests),
    failed: sum(({ failed }) => failed),
    lost: sum(({ lost }) => lost),
    chunks: sum(({ chunks }) => chunks),
    open: sum(({ open }) => open),
    latency: histogram(({ latency }) => latency),
    firstByte: histogram(({ firstByte }) => firstByte),
    chunkDelay: histogram(({ chunkDelay }) => chunkDelay),
    complaint: reports.find(({ complaint }) => complaint !== undefined)?.complaint,
  }
}
