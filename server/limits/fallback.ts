import type { Log } from '../log.ts'
import type { BucketStore, Change, Changed } from './store.ts'

/** What stands in when the shared store is lost. */
export interface FallbackOptions {
  readonly shared: BucketStore
  readonly instead: BucketStore
  /** Told whether the shared store is lost. */
  readonly onLost: (isLost: boolean) => void
  readonly log: Log
  readonly timeoutMs?: number
  readonly retryMs?: number
}

/** A store that never fails. */
export interface FallbackStore extends BucketStore {
  /** Lists of changes that the shared store has not answered, since the start (decisions, 7). */
  readonly lostCount: number
}

/** Milliseconds, ours: a store that answers takes less than one. */
const TIMEOUT_MS = 250

/** How long a store that has failed is left alone, so that not every request waits for it; milliseconds, ours. */
const RETRY_MS = 1_000

/** Asks the shared store, and the other one while that fails (decisions, 7). */
export function createFallbackStore(options: FallbackOptions): FallbackStore {
  const { shared, instead, onLost, log, timeoutMs = TIMEOUT_MS, retryMs = RETRY_MS } = options
  let isLost = false
  let lostUntil = 0
  let lostCount = 0

  async function ask(changes: readonly Change[]): Promise<Changed | undefined> {
    if (performance.now() < lostUntil) return undefined
    try {
      const changed = await answered(shared.apply(changes), timeoutMs)
      if (isLost) {
        log.info('the shared rate buckets are back', { count: lostCount })
        onLost(false)
      }
      isLost = false
      return changed
    } catch (error) {
      if (!isLost) {
        log.warn('the shared rate buckets are lost', { error })
        onLost(true)
      }
      isLost = true
      lostUntil = performance.now() + retryMs
      return undefined
    }
  }

  return {
    async apply(changes) {
      const changed = await ask(changes)
      if (changed !== undefined) return changed
      lostCount++
      return instead.apply(changes)
    },
    get lostCount() {
      return lostCount
    },
  }
}

/** Rejects when the answer is not there in time. */
function answered(answer: Promise<Changed>, timeoutMs: number): Promise<Changed> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`no answer within ${timeoutMs} ms`))
    // After a turn that took long the answer may lie in the socket, and timers come before sockets.
    const timer = setTimeout(() => setImmediate(late), timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
