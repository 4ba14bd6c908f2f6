import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, mayServe, processesIn } from './process.ts'

/** A running server, as its `postmaster.pid` describes it. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** Whether it takes connections: before that it starts or recovers. */
  readonly isReady: boolean
}

/** Lines of `postmaster.pid`. */
const PID_LINE = 0
const PORT_LINE = 3
const STATUS_LINE = 7

/** Milliseconds, ours: backends of a killed postmaster notice and leave at their next wait. */
const ORPHAN_PATIENCE_MS = 5_000
const POLL_MS = 20

/** Milliseconds, ours: long enough to recover from a crash under load. */
const CHANGE_TIMEOUT_MS = 60_000

/** The server of a data folder, if one runs; a pid file left by a dead one, or naming a stranger, counts as none. */
export function findPostmaster(databaseDir: string): Postmaster | undefined {
  const lines = readLines(join(databaseDir, 'postmaster.pid'))
  const pid = Number(lines[PID_LINE])
  if (!(pid > 0) || !isAlive(pid)) return undefined
  if (!mayServe(pid, databaseDir)) return undefined
  return { pid, port: Number(lines[PORT_LINE]), isReady: lines[STATUS_LINE]?.trim() === 'ready' }
}

/** Waits until the server of a data folder, if one runs, is ready or has ended: it may be starting or stopping. */
export async function awaitPostmaster(databaseDir: string): Promise<Postmaster | undefined> {
  const deadline = Date.now() + CHANGE_TIMEOUT_MS
  for (;;) {
    const running = findPostmaster(databaseDir)
    if (!running || running.isReady) return running
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL (${running.pid}) neither starts nor stops for ${CHANGE_TIMEOUT_MS} ms`)
    }
    await sleep(POLL_MS)
  }
}

/**
 * Clears what a killed server left: its backends still hold its shared memory, and a pid file whose number now
 * belongs to somebody else would stop the next start. Nothing of a server that runs is ever touched.
 */
export async function clearRemains(databaseDir: string): Promise<void> {
  const deadline = Date.now() + ORPHAN_PATIENCE_MS
  for (;;) {
    if (findPostmaster(databaseDir))
      throw new Error(`Somebody else is starting the database in ${databaseDir}`)
    const orphans = processesIn(databaseDir).filter(isAlive)
    if (orphans.length === 0) break
    if (Date.now() > deadline) for (const pid of orphans) kill(pid)
    await sleep(POLL_MS)
  }
  const file = join(databaseDir, 'postmaster.pid')
  // Elsewhere the folder's processes cannot be listed, and PostgreSQL's own check of the file must do.
  if (process.platform === 'linux' && existsSync(file)) rmSync(file)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It left by itself.
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}
