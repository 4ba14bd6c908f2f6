import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { lookAtProcess } from '#base/process.ts'

/** A process that can be told from a later one with the same id. */
export interface ProcessId {
  readonly pid: number
  /** When it began, as the operating system spells it. */
  readonly born: string
}

// Ours: how often it is looked whether a process has gone.
const POLL_MS = 20

/** Names a running process; undefined when there is none, or only the remains of one. */
export function identify(pid: number): ProcessId | undefined {
  const born = process.platform === 'linux' ? bornByProc(pid) : bornByPs(pid)
  return born === undefined ? undefined : { pid, born }
}

/** Whether this very process still runs. */
export function isRunning({ pid, born }: ProcessId): boolean {
  return identify(pid)?.born === born
}

/** Asks a process to end, and ends it when it has not done so in time. */
export async function stopProcess(
  id: ProcessId,
  patienceMs: number,
  request: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  signal(id, request)
  const deadline = performance.now() + patienceMs
  while (isRunning(id)) {
    if (performance.now() > deadline) signal(id, 'SIGKILL')
    await sleep(POLL_MS)
  }
}

function signal(id: ProcessId, name: NodeJS.Signals): void {
  try {
    if (isRunning(id)) process.kill(id.pid, name)
  } catch {
    // It has just ended by itself.
  }
}

function bornByProc(pid: number): string | undefined {
  const state = lookAtProcess(pid)
  return state?.isZombie ? undefined : state?.born
}

function bornByPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    const [state = 'Z', ...born] = line.split(/\s+/)
    return state.startsWith('Z') ? undefined : born.join(' ')
  } catch {
    return undefined
  }
}
