import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { lookAtProcess } from './process.ts'

/** A lock that is held. */
export interface Lock {
  release(): void
}

/**
 * Takes the lock that a file is; undefined where a living process holds it, and be it this one. A holder that has died, or that ran
 * before this machine was started, has none. Throws where the file cannot be written.
 */
export function takeLock(file: string): Lock | undefined {
  const own = [process.pid, startOf(process.pid)].join(' ').trim()
  if (!create(file, own)) {
    const holder = read(file)
    // Otherwise it was given back just now.
    if (holder !== undefined) {
      if (isAlive(file, holder)) return undefined
      clear(file, holder)
    }
    if (!create(file, own)) return undefined
  }
  return {
    release() {
      if (read(file) === own) rmSync(file, { force: true })
    },
  }
}

/** The number of the process that holds a lock. */
export function holderOf(file: string): string {
  return read(file)?.split(' ')[0] || 'unknown'
}

/** It is there with its holder or not at all: an empty one would look like a dead one's. */
function create(file: string, holder: string): boolean {
  const scratch = `${file}.${randomUUID()}`
  try {
    writeFileSync(scratch, holder, { mode: 0o600 })
    linkSync(scratch, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(scratch, { force: true })
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** A process id may have been given to another process by now, so the time of its start is compared, too. */
function isAlive(file: string, holder: string): boolean {
  const [pid = '', start = ''] = holder.split(' ')
  if (!/^[1-9]\d{0,9}$/.test(pid)) return false
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const state = lookAtProcess(Number(pid))
  if (state !== undefined) return !state.isZombie && state.born === start
  return start === '' && !isOfEarlierStart(file)
}

/** Whether a file is older than this run of the machine. Asked where nothing else tells: clocks are set. */
function isOfEarlierStart(file: string): boolean {
  const written = statSync(file, { throwIfNoEntry: false })
  return written === undefined || written.mtimeMs < Date.now() - uptime() * 1_000
}

/** When a process was started; empty where there is none to ask. */
function startOf(pid: number): string {
  return lookAtProcess(pid)?.born ?? ''
}

/**
 * Removes the lock of a dead holder. Whoever does that has a lock of its own for it: of two that had found the same one, the second
 * would remove what the first has taken since.
 */
function clear(file: string, holder: string): void {
  const guard = takeLock(`${file}.left`)
  try {
    if (guard !== undefined && read(file) === holder) rmSync(file, { force: true })
  } finally {
    guard?.release()
  }
}
