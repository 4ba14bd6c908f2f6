import type { IncomingMessage, ServerResponse } from 'node:http'
import { writePiece } from '#base/write-piece.ts'
import { limits } from '#contract/limits'
import { isDelimited } from '#egress/connection/delimited.ts'
import type { RawHeaders } from '../raw-headers.ts'
import { bodyOf, type Refusal, unavailable } from '../refusal.ts'
import { type Origins, refuse } from '../refuse.ts'
import { responseHeaders, withoutLength } from './headers.ts'
import { EventHold } from './hold.ts'
import { StreamTail } from './tail.ts'

/** What an answer tells its owner. */
export interface AnswerEvents {
  /** The answer could not be written, and the client's connection was closed. */
  onThrown(error: unknown): void
  /** The client has left before the answer was complete, or was dropped because it read nothing. */
  onGone(): void
  /** What was written has been taken; more may follow. */
  onDrain(): void
}

/** What a status line may say (RFC 9112, 4) and Node writes; for anything else the status has words of its own. */
const STATUS_TEXT = /^[\t\x20-\x7e]*$/

/** How long a client may go on sending a request that has been answered (ours). */
const LINGER_MS = 10_000

/** The client's side of one exchange: the endpoint's answer as it comes, or a refusal in its place. */
export class Answer {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #origins: Origins
  readonly #events: AnswerEvents
  /** Present while an event stream is passed on, which can still be told of an error (STRM-06). */
  #stream: { readonly tail: StreamTail; readonly hold: EventHold } | undefined
  #isWritten = false
  #isDelimited = true

  constructor(request: IncomingMessage, response: ServerResponse, origins: Origins, events: AnswerEvents) {
    this.#request = request
    this.#response = response
    this.#origins = origins
    this.#events = events
    response.on('close', this.#onClose).on('drain', this.#onDrain).on('timeout', this.#onStalled)
    // A failed read or write is followed by `close`, which says all there is to say.
    response.on('error', ignore)
    request.on('error', ignore)
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.closed
  }

  start(status: number, statusText: string | undefined, headers: RawHeaders): void {
    this.#orClose(() => this.#start(status, statusText, headers))
  }

  #start(status: number, statusText: string | undefined, headers: RawHeaders): void {
    if (isEventStream(status, headers)) this.#stream = { tail: new StreamTail(), hold: new EventHold() }
    this.#isDelimited = isDelimited({
      'transfer-encoding': headers.all('transfer-encoding'),
      'content-length': headers.first('content-length'),
    })
    this.#response.sendDate = false
    const text = STATUS_TEXT.test(statusText ?? '') ? statusText : undefined
    const passedOn = responseHeaders(headers)
    const mayEndOtherwise = this.#stream !== undefined && this.#request.method !== 'HEAD'
    this.#response.writeHead(status, text, mayEndOtherwise ? withoutLength(passedOn) : passedOn)
    // The first piece of the body often comes along with the head; else the head goes alone.
    process.nextTick(() => {
      if (!this.#isWritten && !this.isGone) this.#response.flushHeaders()
    })
  }

  /** Returns whether more may be written at once; after `false` wait for `onDrain`. */
  write(bytes: Buffer): boolean {
    this.#stream?.tail.see(bytes)
    const ready = this.#stream?.hold.take(bytes) ?? bytes
    // Nothing of an event that is not whole yet can be written, and so nothing of it can be in the way.
    if (ready.length === 0) return true
    this.#isWritten = true
    const goesOn = writePiece(this.#response, ready)
    // The socket's own timer also sees bytes that leave while a large write is under way (STRM-22).
    if (!goesOn) this.#response.setTimeout(limits.stalledClientMs)
    return goesOn
  }

  end(): void {
    if (this.isCutShort) {
      this.fail(unavailable(true))
      return
    }
    this.#finish()
    this.#leaveRequest()
  }

  /** Ends with an error: as an answer of its own, as the last event of a stream, else by cutting the answer short. */
  fail(refusal: Refusal): void {
    if (this.isGone) return
    this.#orClose(() => this.#fail(refusal))
    this.#leaveRequest()
  }

  #fail(refusal: Refusal): void {
    if (!this.#response.headersSent) refuse(this.#request, this.#response, refusal, this.#origins)
    else if (this.#stream?.tail.isDone) this.#finish()
    else if (this.#stream !== undefined) this.#endStream(refusal)
    else this.#response.destroy()
  }

  /** What throws leaves nobody waiting: Node may have taken half of it, so that no other answer can be written. */
  #orClose(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#response.destroy()
      this.#events.onThrown(error)
    }
  }

  /** A stream that only the end of its connection ends may have been cut short by anybody. */
  get isCutShort(): boolean {
    return this.#stream !== undefined && !this.#stream.tail.isDone && !this.#isDelimited
  }

  /** Whether an event has grown beyond all bounds, so that the stream has to be given up. */
  get isOversize(): boolean {
    return this.#stream?.hold.isTooLong === true
  }

  /** Ends the answer as the endpoint ended it, with whatever stands behind the last event. */
  #finish(): void {
    this.#isWritten = true
    this.#response.end(this.#stream?.hold.rest())
  }

  /** What is held of an event that will never be whole is left out. */
  #endStream(refusal: Refusal): void {
    this.#isWritten = true
    this.#response.setTimeout(limits.stalledClientMs)
    this.#response.end(`data: ${bodyOf(refusal)}\n\ndata: [DONE]\n\n`)
  }

  /** What is left of an answered request is read and thrown away, for a while: its sender may not listen before. */
  #leaveRequest(): void {
    if (this.#request.complete) return
    this.#request.resume()
    const timer = setTimeout(() => this.#request.destroy(), LINGER_MS)
    this.#request.once('close', () => clearTimeout(timer))
  }

  readonly #onDrain = (): void => {
    this.#response.setTimeout(0)
    this.#events.onDrain()
  }

  readonly #onStalled = (): void => {
    this.#response.destroy()
  }

  readonly #onClose = (): void => {
    if (!this.#response.writableFinished) this.#events.onGone()
  }
}

/** Only a stream in plain text can be given one more event. */
function isEventStream(status: number, headers: RawHeaders): boolean {
  const isPlain = /^identity$/i.test(headers.first('content-encoding') ?? 'identity')
  return status === 200 && isPlain && /^text\/event-stream\b/i.test(headers.first('content-type') ?? '')
}

function ignore(): void {}
