import type { IncomingMessage } from 'node:http'

/** Refused bodies are read on and thrown away, so that the client sees its answer: so many bytes, and so long (ours). */
const FACTOR = 4

/** Where bodies may only be small, a larger one's sender still gets to read why it was refused (ours). */
const MIN_BYTES = 8_388_608
const LONGEST_MS = 30_000

/** All of them together: what nobody wants may not take the processor from what somebody pays for (ours). */
const BYTES_PER_SECOND = 33_554_432

/** How often those that wait for their turn are looked at. */
const TURN_MS = 20

/** About what one read of a socket brings (ours). */
const READ_BYTES = 65_536

/** Throws away what comes of refused bodies, no faster than so many bytes a second of all together. */
export class Discards {
  readonly #perMs: number
  /** What may be read now; negative for what was read ahead of its time. */
  #left: number
  #countedAtMs = performance.now()
  readonly #waiting = new Set<IncomingMessage>()
  #timer: NodeJS.Timeout | undefined

  constructor(bytesPerSecond = BYTES_PER_SECOND) {
    this.#perMs = bytesPerSecond / 1_000
    this.#left = this.#perMs * TURN_MS
  }

  /** Reads on, until the body ends; closes the connection of one that goes on for too long. */
  add(incoming: IncomingMessage, maxBytes: number): void {
    if (incoming.complete || incoming.destroyed) return
    const mostBytes = Math.max(MIN_BYTES, FACTOR * maxBytes)
    let discarded = 0
    const timer = setTimeout(() => incoming.destroy(), LONGEST_MS)
    const forget = () => {
      clearTimeout(timer)
      this.#waiting.delete(incoming)
    }
    incoming.on('data', ({ length }: Buffer) => {
      discarded += length
      if (discarded > mostBytes) incoming.destroy()
      else if (this.#take(length) < 0) this.#wait(incoming)
    })
    incoming.once('close', forget)
    incoming.once('end', forget)
    incoming.on('error', () => {})
    incoming.resume()
  }

  /** Takes what was read from what may be read, and gives what is left. */
  #take(bytes: number): number {
    const now = performance.now()
    const refilled = this.#left + (now - this.#countedAtMs) * this.#perMs
    this.#left = Math.min(refilled, this.#perMs * TURN_MS) - bytes
    this.#countedAtMs = now
    return this.#left
  }

  #wait(incoming: IncomingMessage): void {
    incoming.pause()
    this.#waiting.add(incoming)
    this.#timer ??= setInterval(() => this.#giveTurns(), TURN_MS).unref()
  }

  /** As many go on, the longest waiting first, as there is something to read for. */
  #giveTurns(): void {
    let turns = Math.ceil(this.#take(0) / READ_BYTES)
    for (const incoming of this.#waiting) {
      if (turns-- <= 0) break
      this.#waiting.delete(incoming)
      incoming.resume()
    }
    if (this.#waiting.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
