import { limits } from '#contract/limits'

/** What judges whether requests wait too long; times in milliseconds. */
export interface CongestionOptions {
  /** Requests that may wait to be judged where nothing is in the way; read anew each time. */
  readonly most: () => number
  /** Requests that may wait whatever is in the way; the contract's number unless given. */
  readonly least?: () => number
  /** A clock that never steps back. */
  readonly now?: () => number
}

/** Over which the quickest request counts (ours). */
const INTERVAL_MS = 100

/** So many intervals one after another make a queue that stands: a pause for collecting garbage is none (ours). */
const STANDS = 2

/** Fewer requests in an interval tell nothing (ours). */
const LEAST_JUDGED = 5

/** What judging may take beyond what it takes here at best (ours). */
const TARGET_MS = 15
const TIMES_BEST = 3

/** How long the best is remembered: a database that has moved further away is not taken for a queue for long (ours). */
const BEST_MS = 30_000

/** What the bound becomes while requests wait too long, and when they do not (ours). */
const LESS = 0.75
const MORE = 1.1
const AT_LEAST_MORE = 8

/** One that floods alone has half of the bound waiting. */
const PART_OF_ONE = 2

/**
 * Bounds the requests that wait to be judged, by how long judging takes: database and event loop together. Where even
 * the quickest of an interval takes too long, there is a queue that stands, and the bound goes below what waits (LIM-49).
 */
export class Congestion {
  readonly #most: () => number
  readonly #least: () => number
  readonly #now: () => number
  #bound = Number.POSITIVE_INFINITY
  #endsAtMs: number
  #quickestMs = Number.POSITIVE_INFINITY
  #judged = 0
  #slow = 0
  #bestMs = Number.POSITIVE_INFINITY
  #nextBestMs = Number.POSITIVE_INFINITY
  #bestUntilMs: number

  constructor({ most, least = () => limits.leastJudged, now = () => performance.now() }: CongestionOptions) {
    this.#most = most
    this.#least = least
    this.#now = now
    this.#endsAtMs = now() + INTERVAL_MS
    this.#bestUntilMs = now() + BEST_MS
  }

  /** How many may wait to be judged. */
  get bound(): number {
    return Math.min(this.#most(), this.#bound)
  }

  /** A request was judged, which took so long, and so many still wait. */
  judged(tookMs: number, waiting: number): void {
    this.#judged++
    if (tookMs < this.#quickestMs) this.#quickestMs = tookMs
    this.look(waiting)
  }

  /** Ends an interval whose time is over. */
  look(waiting: number): void {
    const now = this.#now()
    if (now < this.#endsAtMs) return
    const intervals = 1 + Math.floor((now - this.#endsAtMs) / INTERVAL_MS)
    this.#endsAtMs += intervals * INTERVAL_MS
    if (this.#judged >= LEAST_JUDGED) this.#end(now, waiting)
    // Nobody waits, and hardly anybody came: what the bound was made for is over.
    else if (waiting === 0) for (let count = 0; count < intervals && this.#rises(); count++);
    this.#judged = 0
    this.#quickestMs = Number.POSITIVE_INFINITY
  }

  #end(now: number, waiting: number): void {
    this.#remember(now)
    this.#slow = this.#quickestMs > TARGET_MS + TIMES_BEST * this.#bestMs ? this.#slow + 1 : 0
    if (this.#slow === 0) this.#rises()
    else if (this.#slow >= STANDS)
      this.#bound = Math.max(this.#least(), LESS * Math.min(this.bound, waiting * PART_OF_ONE))
  }

  /** The best of the last half minute or more. */
  #remember(now: number): void {
    this.#nextBestMs = Math.min(this.#nextBestMs, this.#quickestMs)
    this.#bestMs = Math.min(this.#bestMs, this.#quickestMs)
    if (now < this.#bestUntilMs) return
    this.#bestUntilMs = now + BEST_MS
    this.#bestMs = this.#nextBestMs
    this.#nextBestMs = Number.POSITIVE_INFINITY
  }

  /** Whether it could. */
  #rises(): boolean {
    if (this.#bound >= this.#most()) {
      this.#bound = Number.POSITIVE_INFINITY
      return false
    }
    this.#bound = Math.max(this.#bound * MORE, this.#bound + AT_LEAST_MORE)
    return true
  }
}
