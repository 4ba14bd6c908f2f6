import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../world/world.ts'
import { type Violation, violationsOf } from './violation.ts'

/** What a process occupies. */
export interface Occupied {
  readonly rssBytes: number
  /** Open files and sockets. */
  readonly handles: number
}

/** Remembers what each process occupied when it first stood idle, and looks whether it comes back to it. */
export interface Watch {
  check(world: World): Promise<Violation[]>
  /** The newest of each part, for people. */
  readonly now: ReadonlyMap<string, Occupied>
}

const MEBIBYTE = 1_048_576

/** A heap of 64 MiB that has come to its size, buffers, and what the allocator keeps (ours). */
const MAX_GROWTH_BYTES = 128 * MEBIBYTE
/** Connections that are kept for the next request (ours). */
const MAX_MORE_HANDLES = 40

const PATIENCE_MS = 90_000
const LOOK_MS = 1_000

/** Begins with nothing remembered. */
export function createWatch(): Watch {
  const first = new Map<number, Occupied>()
  const now = new Map<string, Occupied>()
  return {
    now,
    async check({ proxy, platform, routers }) {
      if (process.platform !== 'linux') return []
      const seats = [proxy, platform, ...routers].map(({ seat }) => seat)
      const latest = performance.now() + PATIENCE_MS
      for (;;) {
        const violations = seats.flatMap(({ name, pid }) => look(name, pid, first, now))
        if (violations.length === 0 || performance.now() > latest) return violations
        await sleep(LOOK_MS)
      }
    },
  }
}

function look(
  name: string,
  pid: number | undefined,
  first: Map<number, Occupied>,
  now: Map<string, Occupied>,
): Violation[] {
  if (pid === undefined) return violationsOf('handles', [`${name} does not run`])
  const found = occupiedBy(pid)
  const before = first.get(pid) ?? found
  first.set(pid, before)
  now.set(name, found)
  const growth = found.rssBytes - before.rssBytes
  const more = found.handles - before.handles
  return [
    ...violationsOf('memory', growth > MAX_GROWTH_BYTES ? [`${name} has grown by ${growth} bytes`] : []),
    ...violationsOf('handles', more > MAX_MORE_HANDLES ? [`${name} has ${more} more open`] : []),
  ]
}

/** By the kernel's accounting. */
export function occupiedBy(pid: number): Occupied {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { rssBytes: Number(kilobytes) * 1_024, handles: readdirSync(`/proc/${pid}/fd`).length }
}
