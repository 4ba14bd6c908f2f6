import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './process.ts'

/** Milliseconds, ours: longer than a first start of the database takes. */
const LOCK_TIMEOUT_MS = 60_000
const POLL_MS = 20

/** Locks of this process: a file with our number that is not among them was left by an earlier process. */
const held = new Set<string>()

/** Runs `task` while no other process does so for the same file; a dead owner's lock is taken over. */
export async function withLock<T>(file: string, task: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true })
  const deadline = Date.now() + LOCK_TIMEOUT_MS
  while (!(await take(file))) {
    if (Date.now() > deadline) throw new Error(`${file} has been locked for ${LOCK_TIMEOUT_MS} ms`)
    await sleep(POLL_MS)
  }
  try {
    return await task()
  } finally {
    held.delete(file)
    await rm(file, { force: true })
  }
}

async function take(file: string): Promise<boolean> {
  if (held.has(file)) return false
  try {
    const handle = await open(file, 'wx')
    held.add(file)
    await handle.writeFile(String(process.pid))
    await handle.close()
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const owner = Number(await readFile(file, 'utf8').catch(() => ''))
  const isStale = owner === process.pid ? !held.has(file) : owner > 0 && !isAlive(owner)
  // An empty file is a lock whose owner is just writing its number.
  if (isStale) await rm(file, { force: true })
  return false
}
