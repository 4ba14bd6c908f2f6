import { readdirSync, readlinkSync } from 'node:fs'
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

/** A process's working folder, where the operating system tells it. */
export function workingFolder(pid: number): string | undefined {
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
