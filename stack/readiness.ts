import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './children.ts'
import { StartFailure } from './failure.ts'
import { tailOf } from './logs.ts'

// Ours: a cold disk may be slow, a person's patience ends.
const PATIENCE_MS = 30_000

/** Resolves with what the child says once it serves; rejects when it dies or takes too long. It is not asked at its
 * address: another program might answer there. */
export async function untilReady(title: string, child: Child): Promise<unknown> {
  const patience = new AbortController()
  const late = sleep(PATIENCE_MS, `did not serve within ${PATIENCE_MS / 1_000} s`, {
    signal: patience.signal,
  })
  const dead = child.exited.then((cause) => `ended (${cause})`)
  const failed = Promise.race([dead, late]).then((problem) => {
    throw new StartFailure(`${title} ${problem} while starting.`, [
      ...tailOf(child.logFile),
      `The whole log: ${child.logFile}`,
    ])
  })
  failed.catch(() => undefined)
  try {
    return await Promise.race([child.ready, failed])
  } finally {
    patience.abort()
  }
}

/** Whether anything answers at an address. */
export async function answers(url: string, patienceMs: number): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs), redirect: 'manual' })
    await response.body?.cancel()
    return true
  } catch {
    return false
  }
}
