import { readdirSync, readFileSync } from 'node:fs'

/** Where Linux tells of its processes. */
const PROC = '/proc'

// Fields of /proc/PID/stat, counted after the name, which may hold anything: what all its threads and what its ended
// children took, in ticks.
const OWN_FIELDS = [11, 12] as const
const CHILDREN_FIELDS = [13, 14] as const
/** Linux shows a hundred ticks a second on every machine, whatever it counts by. */
const NANOS_PER_TICK = 10_000_000

const KIB = 1_024

/**
 * Nanoseconds of processor time that a process and all it has started took so far, by the kernel's own account: of each
 * thread that lives to the nanosecond (`schedstat`), of threads and children that ended in ticks. One that has gone counts
 * nothing.
 */
export function cpuNanosOf(pid: number, proc = PROC): number {
  const own = threadsOf(pid, proc).reduce((sum, thread) => sum + nanosOfThread(pid, thread, proc), 0)
  const living = childrenOf(pid, proc).reduce((sum, child) => sum + cpuNanosOf(child, proc), 0)
  // Threads that end take their own account along: the process's is more then.
  return Math.max(own, nanosOfStat(pid, OWN_FIELDS, proc)) + living + nanosOfStat(pid, CHILDREN_FIELDS, proc)
}

/** Bytes of memory that a process and all it has started occupy; what several share counts for each. */
export function residentBytesOf(pid: number, proc = PROC): number {
  const kib = Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`${proc}/${pid}/status`))?.[1] ?? 0)
  return childrenOf(pid, proc).reduce((sum, child) => sum + residentBytesOf(child, proc), kib * KIB)
}

function nanosOfThread(pid: number, thread: string, proc: string): number {
  return Number(read(`${proc}/${pid}/task/${thread}/schedstat`).split(' ')[0])
}

function nanosOfStat(pid: number, places: readonly number[], proc: string): number {
  const stat = read(`${proc}/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return places.reduce((sum, place) => sum + Number(fields[place] ?? 0), 0) * NANOS_PER_TICK
}

function childrenOf(pid: number, proc: string): number[] {
  return threadsOf(pid, proc).flatMap((thread) =>
    read(`${proc}/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

function threadsOf(pid: number, proc: string): string[] {
  try {
    return readdirSync(`${proc}/${pid}/task`)
  } catch {
    return []
  }
}

/** A file of /proc; empty where its process has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
