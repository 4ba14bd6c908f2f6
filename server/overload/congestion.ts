import { limits } from '#contract/limits'
import { Delay } from './delay.ts'

/** What bounds what waits for the database; times in milliseconds. */
export interface CongestionOptions {
  /** Requests that a router may have in hand at all; read anew each time. */
  readonly most: () => number
  /** Requests that may wait whatever is in the way, and six times as many at most; the contract's number unless given. */
  readonly least?: () => number
  /** A clock that never steps back. */
  readonly now?: () => number
}

/** Over which the quickest request counts (ours). */
const INTERVAL_MS = 50

/** So many intervals one after another make a queue that stands: a pause for collecting garbage is none (ours). */
const STANDS = 2

/**
 * What the bound becomes at most and at least in an interval in which requests wait too long, and else (ours). It rises more
 * slowly than it falls: what it has risen by too much waits before it is known.
 */
const LESS = 0.75
const LEAST_LESS = 0.1
const MORE = 1.05
const AT_LEAST_MORE = 4

/** How many may wait at most, times those that may whatever is in the way: nobody knows that a queue stands before it does (LIM-49). */
const TIMES_LEAST = 6

/** A bound is lowered from so many times what waits: one that floods has between a third and two thirds of it (ours). */
const TIMES_WAITING = 2

/**
 * Bounds the requests that wait to be judged or settled, by how long either takes: database and event loop together.
 * Where even the quickest of an interval takes too long, there is a queue that stands, and the bound goes below what
 * waits (LIM-49).
 */
export class Congestion {
  readonly #most: () => number
  readonly #least: () => number
  readonly #now: () => number
  readonly #judging: Delay
  readonly #lookingUp: Delay
  readonly #settling: Delay
  #bound = Number.POSITIVE_INFINITY
  #endsAtMs: number
  #slow = 0

  constructor({ most, least = () => limits.leastJudged, now = () => performance.now() }: CongestionOptions) {
    this.#most = most
    this.#least = least
    this.#now = now
    this.#endsAtMs = now() + INTERVAL_MS
    this.#judging = new Delay(now())
    this.#lookingUp = new Delay(now())
    this.#settling = new Delay(now())
  }

  /** How many may wait. */
  get bound(): number {
    // The file may have been changed since it was lowered.
    return Math.min(this.#ceiling, Math.max(this.#least(), this.#bound))
  }

  get #ceiling(): number {
    return Math.min(this.#most(), TIMES_LEAST * this.#least())
  }

  /**
   * A request was judged, which took so long, and so many still wait. One whose key is unknown locks nothing and waits for
   * no disk: others must not be measured by what that takes.
   */
  judged(tookMs: number, waiting: number, isKnown = true): void {
    const delay = isKnown ? this.#judging : this.#lookingUp
    delay.took(tookMs)
    this.look(waiting)
  }

  /** An answer was settled, which took so long, and so many still wait. */
  settled(tookMs: number, waiting: number): void {
    this.#settling.took(tookMs)
    this.look(waiting)
  }

  /** Ends an interval whose time is over. */
  look(waiting: number): void {
    const now = this.#now()
    if (now < this.#endsAtMs) return
    const intervals = 1 + Math.floor((now - this.#endsAtMs) / INTERVAL_MS)
    this.#endsAtMs += intervals * INTERVAL_MS
    const [judged, lookedUp] = [this.#judging.end(now), this.#lookingUp.end(now)]
    // Unknown keys tell where nobody else does: before cells a directory of its own turns them down, whatever waits behind.
    const heard = heardOf([judged ?? lookedUp, this.#settling.end(now)])
    if (heard.length > 0) this.#end(Math.max(...heard), waiting)
    // Nobody waits, and hardly anybody came: what the bound was made for is over.
    else if (waiting === 0) {
      this.#slow = 0
      for (let count = 0; count < intervals && this.#rises(); count++);
    }
  }

  #end(excess: number, waiting: number): void {
    this.#slow = excess > 1 ? this.#slow + 1 : 0
    if (this.#slow === 0) this.#rises()
    else if (this.#slow >= STANDS) {
      // A queue takes as long as it has places: half as many take half as long.
      const part = Math.max(LEAST_LESS, Math.min(LESS, 1 / excess))
      this.#bound = Math.max(this.#least(), part * Math.min(this.bound, waiting * TIMES_WAITING))
    }
  }

  /** Whether it could. */
  #rises(): boolean {
    if (this.#bound >= this.#ceiling) {
      this.#bound = Number.POSITIVE_INFINITY
      return false
    }
    this.#bound = Math.max(this.#bound * MORE, this.#bound + AT_LEAST_MORE)
    return true
  }
}

function heardOf(told: readonly (number | undefined)[]): readonly number[] {
  return told.filter((excess) => excess !== undefined)
}
