/** Tells a client that its stream is still waited for, in one beat from the first model asked to the last (STRM-02). */
export class Pings {
  readonly #timer: NodeJS.Timeout
  #ping: () => void = () => {}

  constructor(everyMs: number) {
    this.#timer = setInterval(() => this.#ping(), everyMs)
  }

  /** Has them sent in another way from now on. */
  by(ping: () => void): void {
    this.#ping = ping
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
