import { type Clock, elapsedMs, type Moment } from '#egress/clock.ts'
import type { Outcome } from '#egress/evidence/attest.ts'

/** How a check ended that somebody asked for. */
export interface AskedCheck {
  readonly outcome: Outcome
  /** Whether somebody else answered in the place of the endpoint. */
  readonly isForeign: boolean
}

/** Least time between the beginnings of two checks of an endpoint that somebody asks for (PRXY-30). */
const APART_MS = 5_000

/** Checks of one endpoint that people ask for: shared by all who wait for the next one, and some time apart. */
export class AskedChecks {
  readonly #attest: () => Promise<void>
  readonly #clock: Clock
  #last: AskedCheck | undefined
  #next: Promise<AskedCheck | undefined> | undefined
  #begun: Moment | undefined
  #isStopped = false
  #endRest: () => void = () => {}

  /** `attest` makes a check that begins after it was called. */
  constructor(attest: () => Promise<void>, clock: Clock) {
    this.#attest = attest
    this.#clock = clock
  }

  /** Is told of every check of the endpoint as it ends, asked for or not. */
  note(outcome: Outcome, isForeign: boolean): void {
    this.#last = { outcome, isForeign }
  }

  /** How a check ended that began after this moment; undefined when the endpoint was stopped before. */
  ask(): Promise<AskedCheck | undefined> {
    this.#next ??= this.#askOnce()
    return this.#next
  }

  /** Keeps nobody waiting who has asked. */
  stop(): void {
    this.#isStopped = true
    this.#endRest()
  }

  async #askOnce(): Promise<AskedCheck | undefined> {
    await this.#rest()
    // Who asks from now on wants to know of a moment that this check may not have seen.
    this.#next = undefined
    if (this.#isStopped) return undefined
    this.#begun = this.#clock.now()
    this.#last = undefined
    await this.#attest()
    return this.#isStopped ? undefined : this.#last
  }

  async #rest(): Promise<void> {
    const passedMs = this.#begun === undefined ? APART_MS : elapsedMs(this.#begun, this.#clock.now())
    if (passedMs >= APART_MS || this.#isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#clock.schedule(APART_MS - passedMs, resolve)
    this.#endRest = () => {
      cancel()
      resolve()
    }
    await promise
  }
}
