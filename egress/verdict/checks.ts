import { type Clock, elapsedMs, type Moment } from '../clock.ts'
import { restMs } from './verdict.ts'

/** One check that began at some moment; resolves whether it passed. One that rejects has not. */
export type Check = (since: Moment) => Promise<boolean>

/** Told what a callback threw: it stops no check, and nobody else would hear of it. Must not throw itself. */
export type OnThrown = (error: unknown) => void

/** Runs checks one at a time, and knows when the next one is due. */
export class Checks {
  readonly #clock: Clock
  readonly #check: Check
  readonly #onEnd: () => void
  readonly #onThrown: OnThrown
  #running: Promise<void> | undefined
  #failures = 0
  /** When the last check began if it passed, when it ended if it did not. */
  #restingSince: Moment | undefined

  constructor(clock: Clock, check: Check, onEnd: () => void, onThrown: OnThrown) {
    this.#clock = clock
    this.#check = check
    this.#onEnd = onEnd
    this.#onThrown = onThrown
  }

  /** The check that is under way. */
  get running(): Promise<void> | undefined {
    return this.#running
  }

  /** Whether the last check did not pass. */
  get isFailing(): boolean {
    return this.#failures > 0
  }

  /** How long it has been quiet: no time at all while a check runs, and for ever before the first. */
  get restedMs(): number {
    if (this.#running !== undefined) return 0
    if (this.#restingSince === undefined) return Number.POSITIVE_INFINITY
    return elapsedMs(this.#restingSince, this.#clock.now())
  }

  /** How long until the next check is due; not positive when it is. */
  get dueInMs(): number {
    return restMs(this.#failures) - this.restedMs
  }

  /** Runs a check, or joins the one that runs; never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#runOne()
    return this.#running
  }

  async #runOne(): Promise<void> {
    const since = this.#clock.now()
    this.#restingSince = since
    if (await this.#passes(since)) {
      this.#failures = 0
    } else {
      this.#failures += 1
      this.#restingSince = this.#clock.now()
    }
    this.#running = undefined
    try {
      this.#onEnd()
    } catch (thrown) {
      this.#onThrown(thrown)
    }
  }

  async #passes(since: Moment): Promise<boolean> {
    try {
      return await this.#check(since)
    } catch (thrown) {
      this.#onThrown(thrown)
      return false
    }
  }
}
