import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { lookAtProcess } from '#base/process.ts'

/** A lock that is held. */
export interface Lock {
  release(): void
}

/** Another process writes the journal. */
export class LockedError extends Error {
  override readonly name = 'LockedError'

  constructor(file: string, holder: string) {
    super(
      `The journal ${file} is being written by another proxy (process ${holder}). Stop that one, or name another file with \`journal:\` in the configuration.`,
    )
  }
}

/** Takes the one writer's lock of a journal. A holder that has died, or that ran before this machine was started, has none. */
export function takeLock(file: string): Lock {
  const lock = `${file}.lock`
  const own = [process.pid, startOf(process.pid)].join(' ').trim()
  if (!create(lock, own)) {
    const holder = read(lock)
    if (holder !== undefined && isAlive(lock, holder)) throw new LockedError(file, pidOf(holder))
    clear(lock, holder)
    if (!create(lock, own)) throw new LockedError(file, pidOf(read(lock) ?? 'unknown'))
  }
  return {
    release() {
      if (read(lock) === own) rmSync(lock, { force: true })
    },
  }
}

/** It is there with its holder or not at all: an empty one would look like a dead one's. */
function create(lock: string, holder: string): boolean {
  const scratch = `${lock}.${process.pid}.new`
  writeFileSync(scratch, holder, { mode: 0o600 })
  try {
    linkSync(scratch, lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(scratch, { force: true })
  }
}

function read(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8')
  } catch {
    return undefined
  }
}

/** A process id may have been given to another process by now, so the time of its start is compared, too. */
function isAlive(lock: string, holder: string): boolean {
  const [pid = '', start = ''] = holder.split(' ')
  if (!/^[1-9]\d{0,9}$/.test(pid)) return false
  try {
    if (statSync(lock).mtimeMs < Date.now() - uptime() * 1_000) return false
    process.kill(Number(pid), 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return startOf(Number(pid)) === start
}

/** When a process was started; empty where there is none to ask. */
function startOf(pid: number): string {
  return lookAtProcess(pid)?.born ?? ''
}

function pidOf(holder: string): string {
  return holder.split(' ')[0] ?? ''
}

/** Two that find the same dead holder must not both go on: what was moved away has to be what was read. */
function clear(lock: string, holder: string | undefined): void {
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
  } catch {
    return
  }
  if (read(aside) !== holder) {
    try {
      linkSync(aside, lock)
    } catch {
      // Somebody else holds it by now.
    }
  }
  rmSync(aside, { force: true })
}
