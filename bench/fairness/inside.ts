import { createServer } from 'node:http'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** What a router's own thread has seen since it was asked last. */
export interface Inside {
  /** Processor time of the thread that serves everybody. */
  readonly threadMs: number
  /** Processor time of all threads. */
  readonly processMs: number
  /** Of that thread's time 99 % was spent in stretches no longer than this, during which nobody else had a turn. */
  readonly standP99Ms: number
  readonly standMaxMs: number
}

/** Where the router of that folder is asked. */
export const socketOf = (folder: string): string => join(folder, 'inside.sock')

const TICK_MS = 1
const MICROSECONDS = 1_000

const sum = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / MICROSECONDS

/** The stretches' own time, not the clock's: what other programs take of a core is none of the router's. */
function followStands(): () => Pick<Inside, 'standP99Ms' | 'standMaxMs'> {
  let stands: number[] = []
  let last = sum(process.threadCpuUsage())
  setInterval(() => {
    const now = sum(process.threadCpuUsage())
    stands.push(now - last)
    last = now
  }, TICK_MS).unref()
  return () => {
    const sorted = stands.sort((a, b) => b - a)
    let above = 0.01 * sorted.reduce((all, ms) => all + ms, 0)
    const p99 = sorted.find((ms) => {
      above -= ms
      return above <= 0
    })
    stands = []
    return { standP99Ms: p99 ?? 0, standMaxMs: sorted[0] ?? 0 }
  }
}

/** Preloaded by the router that is measured, whose temporary folder is given to it. */
if (isMainThread && process.argv.includes('run') && process.env.TMPDIR !== undefined) {
  const stands = followStands()
  const server = createServer((_, response) => {
    const inside: Inside = {
      threadMs: sum(process.threadCpuUsage()),
      processMs: sum(process.cpuUsage()),
      ...stands(),
    }
    response.end(JSON.stringify(inside))
  })
  server.listen(socketOf(process.env.TMPDIR)).unref()
}
