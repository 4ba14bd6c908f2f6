import { subscribe } from 'node:diagnostics_channel'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** What a router's own thread has seen since it was asked last. */
export interface Inside {
  /** Processor time of the thread that serves everybody, so far. */
  readonly threadMs: number
  /** Processor time of all threads, so far. */
  readonly processMs: number
  /** Of requests that come at any moment 99 % wait no longer than this for the end of what the thread is at. */
  readonly waitP99Ms: number
  /** The longest stretch during which nobody else had a turn. */
  readonly standMaxMs: number
  /** All that was read from the connections of clients, so far. */
  readonly readBytes: number
}

/** Where the router of that folder is asked. */
export const socketOf = (folder: string): string => join(folder, 'inside.sock')

const TICK_MS = 1
const MICROSECONDS = 1_000
const FIRST = -10

const sum = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / MICROSECONDS

/** The stretches' own time, not the clock's: what other programs take of a core is none of the router's. */
function followStands(): () => Pick<Inside, 'waitP99Ms' | 'standMaxMs'> {
  let stands: number[] = []
  let since = performance.now()
  let last = sum(process.threadCpuUsage())
  setInterval(() => {
    const now = sum(process.threadCpuUsage())
    stands.push(now - last)
    last = now
  }, TICK_MS).unref()
  return () => {
    const sorted = stands.sort((a, b) => b - a)
    const now = performance.now()
    const waitP99Ms = waitOf(sorted, 0.01 * (now - since))
    since = now
    stands = []
    return { waitP99Ms, standMaxMs: sorted[0] ?? 0 }
  }
}

/** The wait that is exceeded in so much of the time: what of the longest stretches is beyond it adds up to that. */
function waitOf(longestFirst: readonly number[], exceededMs: number): number {
  let all = 0
  for (const [index, ms] of longestFirst.entries()) {
    all += ms
    const wait = (all - exceededMs) / (index + 1)
    if (wait >= (longestFirst[index + 1] ?? 0)) return Math.max(0, wait)
  }
  return 0
}

/** Counts what comes from clients: what they have sent may still lie in the system. */
function followReading(): () => number {
  let closed = 0
  const open = new Set<Socket>()
  subscribe('net.server.socket', (message) => {
    const { socket } = message as { readonly socket: Socket }
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      closed += socket.bytesRead
    })
  })
  return () => [...open].reduce((read, { bytesRead }) => read + bytesRead, closed)
}

/**
 * The thread that serves everybody goes before other programs, where the system lets it: then what it takes is what it
 * needs, and not what is left to it. Its other threads stay where they were.
 */
function goFirst(): void {
  try {
    setPriority(isMainThread ? FIRST : 0)
  } catch {
    // Only a superuser may.
  }
}

/** Preloaded by the router that is measured, whose temporary folder is given to it. */
goFirst()
if (isMainThread && process.argv.includes('run') && process.env.TMPDIR !== undefined) {
  const stands = followStands()
  const readBytes = followReading()
  const server = createServer((_, response) => {
    const inside: Inside = {
      threadMs: sum(process.threadCpuUsage()),
      processMs: sum(process.cpuUsage()),
      ...stands(),
      readBytes: readBytes(),
    }
    response.end(JSON.stringify(inside))
  })
  // The bench asks seldom, and on one connection.
  server.keepAliveTimeout = 0
  server.listen(socketOf(process.env.TMPDIR)).unref()
}
