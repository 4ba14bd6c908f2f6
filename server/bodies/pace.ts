import { limits } from '#contract/limits'

const MS_PER_SECOND = 1_000

/**
 * The lowest rate of a body: within each window so many bytes have to come, or it is over. A sum over all of its time
 * would let somebody send fast at first and then hold what was taken for it with a byte now and then.
 */
export class Pace {
  readonly #windowMs: number
  readonly #leastBytes: number
  #startedAtMs = performance.now()
  #bytes = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
    this.#leastBytes = (limits.minBodyBytesPerSecond * windowMs) / MS_PER_SECOND
  }

  /** Resolves with the next piece, or undefined when it comes too late; a rejection stays one. */
  async wait<Piece>(next: Promise<Piece>): Promise<Piece | undefined> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      const look = (): void => {
        if (this.#bytes < this.#leastBytes) resolve(undefined)
        else {
          this.#begin()
          timer = setTimeout(look, this.#windowMs)
        }
      }
      timer = setTimeout(look, Math.max(0, this.#startedAtMs + this.#windowMs - performance.now()))
    })
    try {
      return await Promise.race([next, late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** A piece has come. */
  heard(bytes: number): void {
    this.#bytes += bytes
  }

  /** The sender was kept waiting until now: that is nothing to hold against them. */
  forgive(): void {
    this.#begin()
  }

  #begin(): void {
    this.#startedAtMs = performance.now()
    this.#bytes = 0
  }
}
