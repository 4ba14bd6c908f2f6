import type { IncomingMessage, ServerResponse } from 'node:http'
import { holdSocket } from '#base/hold-socket.ts'
import { limits } from '#contract/limits'

/** What is left of a body is read on after its answer, so that the client sees that: so many bytes, and so long (ours). */
const MOST_BYTES = 4 * limits.maxBodyBytes
const LONGEST_MS = 30_000

/** How often those that wait for their turn are looked at. */
const TURN_MS = 20

/** What each piece of a body costs beside its bytes: somebody may send them one by one (ours). */
const PIECE_BYTES = 512

/** About what one read of a socket brings (ours). */
const READ_BYTES = 65_536

/**
 * Throws away what comes of bodies after their answers, no faster than so many bytes a second of all together: what nobody wants
 * may not take the processor from what somebody pays for. Node would
 * read them as fast as they come, for ever, from anybody (REQ-64).
 */
export class Discards {
  readonly #perMs: number
  readonly #mostBytes: number
  /** What may be read now; negative for what was read ahead of its time. */
  #left: number
  #countedAtMs = performance.now()
  /** Those whose turn is to come, each with a way to read its connection again. */
  readonly #waiting = new Map<IncomingMessage, () => void>()
  #timer: NodeJS.Timeout | undefined

  /** Of each body at most `mostBytes` are read, with what is around them: then its connection is closed. */
  constructor(bytesPerSecond: number = limits.discardBytesPerSecond, mostBytes = MOST_BYTES) {
    this.#perMs = bytesPerSecond / 1_000
    this.#mostBytes = mostBytes
    this.#left = this.#perMs * TURN_MS
  }

  /** Throws away what is left of the body when its answer is complete. */
  follow(incoming: IncomingMessage, response: ServerResponse): void {
    // Before `finish`, when Node takes to itself what nobody has begun to read.
    response.once('prefinish', () => {
      if (!incoming.complete && !incoming.destroyed) this.#discard(incoming)
    })
  }

  #discard(incoming: IncomingMessage): void {
    const { socket } = incoming
    const readBefore = socket.bytesRead
    let read = readBefore
    const timer = setTimeout(() => incoming.destroy(), LONGEST_MS).unref()
    const forget = () => {
      clearTimeout(timer)
      this.#release(incoming)
    }
    // Of the bytes that came, since around those of the body there may be many more.
    incoming.on('data', () => {
      const came = socket.bytesRead - read
      read += came
      if (read - readBefore > this.#mostBytes) incoming.destroy()
      else if (this.#take(came + PIECE_BYTES) < 0) this.#wait(incoming)
    })
    incoming.once('close', forget)
    incoming.once('end', forget)
    incoming.on('error', () => {})
    incoming.resume()
    // Begun at once, and so ours: `resume` alone begins after `finish`.
    incoming.read(0)
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
    // Whoever began to read it may still do so.
    if (this.#waiting.has(incoming)) return
    incoming.pause()
    this.#waiting.set(incoming, holdSocket(incoming.socket))
    this.#timer ??= setInterval(() => this.#giveTurns(), TURN_MS).unref()
  }

  #release(incoming: IncomingMessage): void {
    this.#waiting.get(incoming)?.()
    this.#waiting.delete(incoming)
  }

  /** As many go on, the longest waiting first, as there is something to read for. */
  #giveTurns(): void {
    let turns = Math.ceil(this.#take(0) / READ_BYTES)
    for (const incoming of this.#waiting.keys()) {
      if (turns-- <= 0) break
      this.#release(incoming)
      incoming.resume()
    }
    if (this.#waiting.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
