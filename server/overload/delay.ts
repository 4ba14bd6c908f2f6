/** Fewer in an interval tell nothing (ours). */
const LEAST_COUNT = 5

/** What one may take beyond what it takes here at best (ours). */
const TARGET_MS = 2
const TIMES_BEST = 2

/** How long the best is remembered: a database that has moved further away is not taken for a queue for long (ours). */
const BEST_MS = 30_000

/**
 * How long a kind of work takes, interval by interval: too long where even the quickest took far more than it does here
 * at best. Times in milliseconds, of a clock that never steps back.
 */
export class Delay {
  #count = 0
  #quickestMs = Number.POSITIVE_INFINITY
  #bestMs = Number.POSITIVE_INFINITY
  #nextBestMs = Number.POSITIVE_INFINITY
  #bestUntilMs: number

  constructor(now: number) {
    this.#bestUntilMs = now + BEST_MS
  }

  /** One was done. */
  took(ms: number): void {
    this.#count++
    if (ms < this.#quickestMs) this.#quickestMs = ms
  }

  /** Ends an interval: how many times as long as it may even the quickest took; undefined where too few tell. */
  end(now: number): number | undefined {
    const [count, quickestMs] = [this.#count, this.#quickestMs]
    this.#count = 0
    this.#quickestMs = Number.POSITIVE_INFINITY
    if (count < LEAST_COUNT) return undefined
    this.#remember(now, quickestMs)
    return quickestMs / (TARGET_MS + TIMES_BEST * this.#bestMs)
  }

  /** The best of the last half minute or more. */
  #remember(now: number, quickestMs: number): void {
    this.#nextBestMs = Math.min(this.#nextBestMs, quickestMs)
    this.#bestMs = Math.min(this.#bestMs, quickestMs)
    if (now < this.#bestUntilMs) return
    this.#bestUntilMs = now + BEST_MS
    this.#bestMs = this.#nextBestMs
    this.#nextBestMs = Number.POSITIVE_INFINITY
  }
}
