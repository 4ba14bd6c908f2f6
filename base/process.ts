import { readFileSync } from 'node:fs'

/** What Linux tells of a process. */
export interface ProcessState {
  /** One that has ended and was not collected yet. */
  readonly isZombie: boolean
  /** When it was started, in the kernel's own count: it tells a process from a later one with the same id. */
  readonly born: string
}

// Fields of /proc/PID/stat, counted after the name, which may hold anything, blanks and brackets too.
const STATE_FIELD = 0
const BORN_FIELD = 19

/** Looks at a process; undefined where there is none, or no /proc to ask. */
export function lookAtProcess(pid: number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { isZombie: fields[STATE_FIELD] === 'Z', born: fields[BORN_FIELD] ?? '' }
  } catch {
    return undefined
  }
}
