import { writePiece } from '#base/write-piece.ts'
import type { ClientResponse } from '../metering/generation.ts'
import type { RelayTask } from './task.ts'

/** What the relay wants to know about its client. */
export interface ClientEvents {
  /** The client has left before the answer was handed over, or was dropped because it read nothing. */
  onGone(isStalled: boolean): void
  /** What was written has been taken; more may follow. */
  onDrain(): void
}

/** Parts of the patience with a reader; the socket's timer notices a move only at the end of each (ours). */
const TICKS = 10

/** Up to so many bytes a copy costs less than a second write (ours). */
const SHORT_BYTES = 16_384

/** The client's side of one answer, with back-pressure and an end to patience. */
export class Client {
  readonly #response: ClientResponse
  readonly #headers: Readonly<Record<string, string>> | undefined
  readonly #stalledMs: number
  #events: ClientEvents | undefined
  #isFull = false
  #isListening = false
  #isStalled = false
  #quietTicks = 0
  #lastTickAtMs = 0

  constructor({ response, headers }: Pick<RelayTask, 'response' | 'headers'>, stalledMs: number) {
    this.#response = response
    this.#headers = headers
    this.#stalledMs = stalledMs
  }

  /** Begins to tell what becomes of it. */
  watch(events: ClientEvents): void {
    this.#events = events
    this.#response.on('close', this.#onClose)
    // A write that fails is followed by `close`, which says all there is to say.
    this.#response.on('error', ignore)
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.closed
  }

  get isStarted(): boolean {
    return this.#response.headersSent
  }

  /** Whether what was written last has not been taken yet. */
  get isFull(): boolean {
    return this.#isFull
  }

  start(headers: Readonly<Record<string, string>>): void {
    if (!this.isGone) this.#response.writeHead(200, { ...this.#headers, ...headers })
  }

  /** Sends a whole answer. A short one is handed to Node as text: it makes one write of a head and a text alone. */
  answer(headers: Readonly<Record<string, string>>, body: Buffer): void {
    this.start(headers)
    if (body.length > SHORT_BYTES) this.end(body)
    // Each byte is one character of Latin-1, and the same byte again.
    else this.#finish(body.toString('latin1'), 'latin1')
  }

  /** Returns whether more may be written at once; after `false` wait for `onDrain`. */
  write(bytes: Buffer): boolean {
    if (this.isGone) return true
    const goesOn = writePiece(this.#response, bytes)
    if (!goesOn) this.#awaitReader()
    return goesOn
  }

  /** Ends the answer; a client that does not take the end is dropped like any other that stalls. */
  end(bytes: Buffer): void {
    this.#finish(bytes)
  }

  #finish(last: Buffer | string, encoding: BufferEncoding = 'latin1'): void {
    if (this.isGone) return
    this.#response.end(last, encoding)
    if (!this.#response.writableFinished) this.#awaitReader()
  }

  /** Leaves the response to somebody else, who will answer with an error. */
  release(): void {
    this.#response.off('close', this.#onClose)
    this.#response.off('drain', this.#onDrain)
    this.#response.off('timeout', this.#onStalled)
    this.#isListening = false
  }

  /** The socket's own timer also sees the bytes that leave while a large write is under way (STRM-22). */
  #awaitReader(): void {
    this.#isFull = true
    this.#quietTicks = 0
    // Nearly all answers are taken at once, and need no ear for this.
    if (!this.#isListening) this.#response.on('drain', this.#onDrain).on('timeout', this.#onStalled)
    this.#isListening = true
    this.#response.setTimeout(this.#stalledMs / TICKS)
  }

  readonly #onDrain = (): void => {
    if (!this.#isFull) return
    this.#isFull = false
    this.#response.setTimeout(0)
    this.#events?.onDrain()
  }

  /** Node sets the timer anew, and says nothing, for a tick in which bytes have left: then the count begins again. */
  readonly #onStalled = (): void => {
    const tickMs = this.#stalledMs / TICKS
    const now = performance.now()
    this.#quietTicks = now - this.#lastTickAtMs < 1.5 * tickMs ? this.#quietTicks + 1 : 1
    this.#lastTickAtMs = now
    this.#isStalled = this.#quietTicks >= TICKS
    if (this.#isStalled) this.#response.destroy()
    else this.#response.setTimeout(tickMs)
  }

  readonly #onClose = (): void => {
    this.release()
    this.#events?.onGone(this.#isStalled)
  }
}

function ignore(): void {}
