/** What a backend may take before its first byte and between two later ones. */
export interface QuietLimits {
  readonly firstByteMs: number
  readonly idleMs: number
}

/**
 * Notices a backend that has fallen silent. Hearing it costs one look at the clock; the one timer is set anew
 * only when it fires, which is soon enough for either limit. While held, silence is the reader's doing and does not count.
 */
export class QuietWatch {
  readonly #idleMs: number
  #onQuiet: () => void = () => {}
  #limitMs: number
  #heardAtMs = 0
  #isHeld = false
  #timer: NodeJS.Timeout | undefined

  constructor({ firstByteMs, idleMs }: QuietLimits) {
    this.#idleMs = idleMs
    this.#limitMs = firstByteMs
  }

  start(onQuiet: () => void): void {
    this.#onQuiet = onQuiet
    this.#heardAtMs = performance.now()
    this.#wait(this.#limitMs)
  }

  heard(): void {
    this.#heardAtMs = performance.now()
    this.#limitMs = this.#idleMs
  }

  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#heardAtMs = performance.now()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #check(): void {
    const leftMs = this.#isHeld ? this.#limitMs : this.#heardAtMs + this.#limitMs - performance.now()
    if (leftMs <= 0) this.#onQuiet()
    else this.#wait(leftMs)
  }

  /** No longer than the shorter limit, which may begin to hold meanwhile. */
  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#check(), Math.ceil(Math.min(ms, this.#idleMs)))
  }
}
