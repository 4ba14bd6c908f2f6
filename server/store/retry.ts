import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '#contract/limits'
import { isOutage, OutageError } from './outage.ts'

/** How often a statement is tried again while the database is away. */
const RETRY_MS = 100

/**
 * Resolves as `promise` does, or throws `OutageError` once `limitMs` have passed; the work itself goes on. `onOutage` is told
 * of one once, whether it comes from here or from the work.
 */
export function within<T>(promise: Promise<T>, limitMs: number, onOutage?: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const giveUp = (): void => {
      isLate = true
      onOutage?.()
      reject(new OutageError(`no answer within ${limitMs} ms`))
    }
    const timer = setTimeout(giveUp, limitMs)
    promise.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        if (error instanceof OutageError && !isLate) onOutage?.()
        reject(error)
      },
    )
  })
}

/** Of what is asked again and again, so many may hang (ours). */
const MOST_HANGING = 3

/**
 * Asks as `within` does, for what is asked again and again: what hangs keeps its connection, so that while some do no
 * other is asked, and an outage is thrown at once. It is more than one for a connection that has died without a word.
 */
export function sparingly(limitMs: number): <T>(ask: () => Promise<T>) => Promise<T> {
  let hanging = 0
  return async (ask) => {
    if (hanging >= MOST_HANGING) throw new OutageError(`${hanging} have no answer yet`)
    hanging++
    const asked = ask().finally(() => {
      hanging--
    })
    return await within(asked, limitMs)
  }
}

/** Tries until the database is back or `signal` fires; any other error is thrown at once. */
export async function persist<T>(
  attempt: (number: number) => Promise<T>,
  { signal, onOutage, retryMs = RETRY_MS, passes = isOutage }: Persistence,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt(number)
    } catch (error) {
      if (!passes(error)) throw error
      if (number === 1) onOutage?.(error)
      if (signal.aborted) throw new OutageError('the database is away', { cause: error })
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
  }
}

/** How long to persist, and whom to tell of an outage. */
export interface Persistence {
  readonly signal: AbortSignal
  readonly onOutage?: (error: unknown) => void
  readonly retryMs?: number
  /** Which errors are waited out; those of a database that is away, unless told otherwise. */
  readonly passes?: (error: unknown) => boolean
}

/** Reads what changes nothing, through an outage that is shorter than a request may wait. */
export async function outlast<T>(read: () => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(limits.databaseOutageMs)
  return await within(persist(read, { signal }), limits.databaseOutageMs)
}
