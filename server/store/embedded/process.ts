import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { lookAtProcess } from '#base/process.ts'

/** Whether a process runs; one that is dead but not yet collected by its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  return lookAtProcess(pid)?.isZombie !== true
}

/** Processes whose working folder is `folder`: each process of a PostgreSQL server sits in its data folder. */
export function processesIn(folder: string): number[] {
  return listProcesses().filter((pid) => workingFolder(pid) === folder)
}

/**
 * Whether a process may be one of a server whose data folder this is: it sits there, or, where that cannot be told, it
 * is its owner's.
 */
export function mayServe(pid: number, folder: string): boolean {
  const sits = workingFolder(pid)
  if (sits !== undefined) return sits === folder
  // The system tells nobody else where a process of another user sits.
  const uid = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid
  return uid === undefined || uid === statSync(folder, { throwIfNoEntry: false })?.uid
}

/** A process's working folder, where the operating system tells it. */
function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

function listProcesses(): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
}
