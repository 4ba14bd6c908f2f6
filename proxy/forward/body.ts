import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

/** Bodies up to here are sent in one piece where they are here at once (ours). */
const SMALL_BYTES = 65_536

/** Whether a request has a body that may have come in one read with its head. */
export function hasSmallBody(request: IncomingMessage): boolean {
  return hasBody(request) && Number(request.headers['content-length']) <= SMALL_BYTES
}

/** All of a small body, where it is here already and nobody has read it. */
export function takeWhole(request: IncomingMessage): Buffer | undefined {
  if (!hasSmallBody(request) || !request.complete) return undefined
  const bytes: Buffer | null = request.read()
  return bytes ?? undefined
}

/**
 * A client's body on its way, read only as fast as it can be sent. undici destroys a body that it gives up; destroying
 * this one leaves the client's connection open, so that it can be told why.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage) {
    super()
    this.#request = request
    // Who reads it is told by a listener of its own; while nobody does, a client that leaves is nobody's concern.
    this.on('error', () => {})
    request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
    request.pause()
    // An empty one may have told its end to a try before this one; nobody would tell it again.
    if (request.readableEnded) this.push(null)
  }

  override _read(): void {
    this.#request.resume()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    callback(error)
  }

  readonly #onData = (bytes: Buffer): void => {
    if (!this.push(bytes)) this.#request.pause()
  }

  readonly #onEnd = (): void => {
    this.push(null)
  }

  readonly #onClose = (): void => {
    if (!this.#request.complete) this.destroy(new Error('The client left before its request was complete.'))
  }
}
