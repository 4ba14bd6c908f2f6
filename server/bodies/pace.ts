import { limits } from '#contract/limits'

const MS_PER_SECOND = 1_000

/**
 * The lowest rate of a body: so many bytes have to come within each window. It is not an average over the whole time,
 * by which a sender could be fast at first and then hold memory with a byte now and then.
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

  /** Begins a new window: the time until now was spent waiting for memory, not for the sender. */
  forgive(): void {
    this.#begin()
  }

  #begin(): void {
    this.#startedAtMs = performance.now()
    this.#bytes = 0
  }
}
