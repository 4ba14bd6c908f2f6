import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { holderOf, type Lock, takeLock } from '#base/lock.ts'

/** Milliseconds, ours: longer than a first start of the database takes. */
const LOCK_TIMEOUT_MS = 60_000
const POLL_MS = 20

/** Runs `task` while nobody else does so for the same file, in this process or another. */
export async function withLock<T>(file: string, task: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true })
  const lock = await waitFor(file)
  try {
    return await task()
  } finally {
    lock.release()
  }
}

async function waitFor(file: string): Promise<Lock> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS
  for (;;) {
    const lock = takeLock(file)
    if (lock !== undefined) return lock
    if (Date.now() > deadline)
      throw new Error(
        `Process ${holderOf(file)} has held ${file} for ${LOCK_TIMEOUT_MS / 1_000} s. If that is no router, remove the file`,
      )
    await sleep(POLL_MS)
  }
}
