import { type FileHandle, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './process.ts'

/** Milliseconds, ours: longer than a first start of the database takes. */
const LOCK_TIMEOUT_MS = 60_000
const POLL_MS = 20

/** An owner writes its number at once: a file that is empty for longer was left by one that could not (ours). */
const WRITING_MS = 5_000

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
  const handle = await create(file)
  if (handle === undefined) {
    if (await isLeft(file)) await rm(file, { force: true })
    return false
  }
  held.add(file)
  try {
    await handle.writeFile(String(process.pid))
    return true
  } catch (error) {
    // Where the disk is full: a lock that tells no owner would keep everybody out, this process for good.
    held.delete(file)
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** Undefined where there is one. */
async function create(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'wx')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined
    throw error
  }
}

/** Whether the owner of a lock has ended without giving it back. */
async function isLeft(file: string): Promise<boolean> {
  const owner = Number(await readFile(file, 'utf8').catch(() => ''))
  if (owner === process.pid) return !held.has(file)
  if (owner > 0) return !isAlive(owner)
  const written = await stat(file).catch(() => undefined)
  return written !== undefined && Date.now() - written.mtimeMs > WRITING_MS
}
