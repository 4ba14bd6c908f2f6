import { limits } from '#contract/limits'
import { type Clock, elapsedMs, type Moment } from '../clock.ts'
import type { OnThrown } from './checks.ts'

/** How long a request may wait: from its arrival, and no longer than somebody waits for it. */
export interface Patience {
  readonly since: Moment
  readonly signal?: AbortSignal | undefined
}

/**
 * Most connections that may show a request another certificate (ours): some, as not all gateways behind one name renew
 * at once, and few, so that nobody on the way can have each request dial for its whole time.
 */
export const MAX_MISMATCHES = 4

/** One request that waits. */
interface Waiter {
  /** Whether what it waits for has come. */
  isAnswered(): boolean
  leave(): void
}

/** Rests between the checks that they share: the first ones, and the longest that they double to (ours). */
const MIN_REST_MS = 250
const MAX_REST_MS = 1_000

/** Requests that met another certificate than the verdict names, and wait together for a check that knows of it. */
export class Doubts {
  readonly #clock: Clock
  readonly #check: () => Promise<void>
  readonly #onThrown: OnThrown
  readonly #waiting = new Set<Waiter>()
  #isChecking = false
  /** When the last check ended that was made for them. */
  #checkedAt: Moment | undefined

  /** `check` makes one that begins after it is called; where it rejects, the next one is made as after any other. */
  constructor(clock: Clock, check: () => Promise<void>, onThrown: OnThrown) {
    this.#clock = clock
    this.#check = check
    this.#onThrown = onThrown
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Waits until the question is answered, or patience ends; not at all when too many wait. Each holds a client's socket
   * and, at the router, a body and a hold of credit, and somebody on the way can make every one wait its full time.
   */
  wait(isAnswered: () => boolean, { since, signal }: Patience): Promise<void> {
    const leftMs = limits.verdictWaitMs - elapsedMs(since, this.#clock.now())
    if (leftMs <= 0 || signal?.aborted || this.#waiting.size >= limits.maxWaitingRequests)
      return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting.delete(waiter)
      cancel()
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const waiter = { isAnswered, leave }
    const cancel = this.#clock.schedule(leftMs, leave)
    signal?.addEventListener('abort', leave)
    this.#waiting.add(waiter)
    if (!this.#isChecking) void this.#checkWhileSomebodyWaits()
    return promise
  }

  /** Lets those go whose question is answered; to be called as soon as the verdict changes. */
  settle(): void {
    for (const waiter of [...this.#waiting]) if (waiter.isAnswered()) waiter.leave()
  }

  /** Ends every wait. */
  end(): void {
    for (const waiter of [...this.#waiting]) waiter.leave()
  }

  async #checkWhileSomebodyWaits(): Promise<void> {
    this.#isChecking = true
    for (let vain = 0; this.#waiting.size > 0; vain++) {
      await this.#rest(Math.min(MAX_REST_MS, MIN_REST_MS * 2 ** Math.max(0, vain - 1)))
      if (this.#waiting.size === 0) break
      try {
        await this.#check()
        this.settle()
      } catch (thrown) {
        this.#onThrown(thrown)
      }
      this.#checkedAt = this.#clock.now()
    }
    this.#isChecking = false
  }

  /** Nobody can have more checks made than this by asking, whether or not they pass. */
  async #rest(restMs: number): Promise<void> {
    const leftMs = this.#checkedAt ? restMs - elapsedMs(this.#checkedAt, this.#clock.now()) : 0
    if (leftMs <= 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#clock.schedule(leftMs, resolve)
    await promise
  }
}
