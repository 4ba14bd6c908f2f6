/** Part of the thread's time that may be spent (ours): what somebody sends in pieces of a byte costs others no more. */
const PART = 1 / 10

/** What may be spent at once (ours): nobody else waits longer than this for their turn. */
const BURST_MS = 10

/** Once all is spent, so much has to come together before somebody goes on (ours). */
const LEAST_MS = 1

/** Time of the thread that all connections together may take for parsing bodies in chunks. */
export class ParseBudget {
  readonly #now: () => number
  #leftMs = BURST_MS
  #countedAtMs: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#countedAtMs = now()
  }

  /** How long it takes until something may be spent, in milliseconds; 0 for now. */
  get waitMs(): number {
    const leftMs = this.#leftAt(this.#now())
    return leftMs > 0 ? 0 : (LEAST_MS - leftMs) / PART
  }

  /** Does this, which is paid for even if it takes more than there is, and gives the milliseconds that it took. */
  spend(work: () => void): number {
    const begunAtMs = this.#now()
    work()
    const endedAtMs = this.#now()
    const tookMs = endedAtMs - begunAtMs
    this.#leftMs = this.#leftAt(endedAtMs) - tookMs
    this.#countedAtMs = endedAtMs
    return tookMs
  }

  #leftAt(nowMs: number): number {
    return Math.min(BURST_MS, this.#leftMs + (nowMs - this.#countedAtMs) * PART)
  }
}
