/** Part of the thread's time that bodies of one workspace may take to be read on the spot (REQ-76). */
const PART = 1 / 20

/** What they may take at once (ours): for so long nobody else has a turn where many come together. */
const BURST_MS = 10

/** A body of so many bytes takes no longer to read than to hand over, whatever it says (REQ-76). */
const CHEAP_BYTES = 8_192

/** To hand a body over takes this of the thread as well (ours): only what reading takes beyond it is anybody's loss. */
const HANDING_MS = 0.2

/** Accounts before those that owe nothing are forgotten (ours). */
const MOST_ACCOUNTS = 1_024

/** What is left to a workspace, and when that was so. */
interface Account {
  leftMs: number
  countedAtMs: number
}

/** One body that may be read on the spot. */
export interface SpotReading {
  /** Whether its owner has time left, which bodies that came since it began may have taken. */
  readonly isLeft: boolean
  /** Does what belongs to the reading, and has its owner pay for it. */
  run<Result>(work: () => Result): Result
}

/** The time that the bodies of each workspace, and of all strangers, take of the thread that serves everybody, while they are read there. */
export class SpotTime {
  readonly #now: () => number
  readonly #accounts = new Map<string, Account>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Begins with a body of so many bytes. */
  begin(owner: string, bytes: number): SpotReading {
    if (bytes <= CHEAP_BYTES) return unpaid
    const isLeft = () => this.#isLeftTo(owner)
    let freeMs = HANDING_MS
    return {
      get isLeft() {
        return isLeft()
      },
      run: (work) => {
        const begunAtMs = this.#now()
        try {
          return work()
        } finally {
          const tookMs = this.#now() - begunAtMs
          if (tookMs > freeMs) this.#charge(owner, tookMs - freeMs)
          freeMs = Math.max(0, freeMs - tookMs)
        }
      },
    }
  }

  #isLeftTo(owner: string): boolean {
    const account = this.#accounts.get(owner)
    return account === undefined || this.#leftOf(account) > 0
  }

  #charge(owner: string, ms: number): void {
    const account = this.#accounts.get(owner) ?? this.#add(owner)
    account.leftMs = this.#leftOf(account) - ms
    account.countedAtMs = this.#now()
  }

  #leftOf({ leftMs, countedAtMs }: Account): number {
    return Math.min(BURST_MS, leftMs + (this.#now() - countedAtMs) * PART)
  }

  #add(owner: string): Account {
    if (this.#accounts.size >= MOST_ACCOUNTS) this.#forget()
    const account = { leftMs: BURST_MS, countedAtMs: this.#now() }
    this.#accounts.set(owner, account)
    return account
  }

  #forget(): void {
    for (const [owner, account] of this.#accounts) {
      if (this.#leftOf(account) === BURST_MS) this.#accounts.delete(owner)
    }
  }
}

const unpaid: SpotReading = { isLeft: true, run: (work) => work() }
