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
  /** Lists of changes that the shared store has not answered, since the start (LIM-41). */
  readonly lostCount: number
  /** Finds out whether the shared store is there, without waiting for a request to do so. */
  probe(): Promise<void>
  /** Probes no more. */
  close(): void
}

/**
 * Milliseconds, ours. A store that answers takes less than one, but a machine that is busy must not be taken for a
 * lost store: each router would then admit a whole limit.
 */
const TIMEOUT_MS = 1_000

/** How often a store that has failed is probed; meanwhile no request waits for it. Milliseconds, ours. */
const RETRY_MS = 1_000

/** What a probe changes: a bucket that no key has, so that the probe does all that a request needs. */
const PROBE: readonly Change[] = [
  { owner: 'probe', workspaceId: 'probe', counts: 'requests', perMinute: 1, least: undefined, units: -1 },
]

/**
 * Asks the shared store, and the other one while that fails (LIM-41). Probes find out that it is back, so that no
 * request waits for a store that hangs, and the metric is right without traffic.
 */
export function createFallbackStore(options: FallbackOptions): FallbackStore {
  const { shared, instead, onLost, log, timeoutMs = TIMEOUT_MS, retryMs = RETRY_MS } = options
  let isLost = false
  let isClosed = false
  let lostCount = 0
  let timer: NodeJS.Timeout | undefined

  async function ask(changes: readonly Change[]): Promise<Changed | undefined> {
    try {
      return await answered(Promise.resolve(shared.apply(changes)), timeoutMs)
    } catch (error) {
      if (!isLost) {
        log.warn('the shared rate buckets are lost', { error })
        onLost(true)
        probeLater()
      }
      isLost = true
      return undefined
    }
  }

  async function probe(): Promise<void> {
    const isBack = (await ask(PROBE)) !== undefined
    if (!isLost || isClosed) return
    if (!isBack) return probeLater()
    isLost = false
    log.info('the shared rate buckets are back', { count: lostCount })
    onLost(false)
  }

  function probeLater(): void {
    clearTimeout(timer)
    if (!isClosed) timer = setTimeout(probe, retryMs).unref()
  }

  return {
    async apply(changes) {
      const changed = isLost ? undefined : await ask(changes)
      if (changed !== undefined) return changed
      lostCount++
      return instead.apply(changes)
    },
    get lostCount() {
      return lostCount
    },
    probe,
    close() {
      isClosed = true
      clearTimeout(timer)
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
