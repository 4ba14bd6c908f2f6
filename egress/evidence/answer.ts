import type { ClientRequest, IncomingMessage } from 'node:http'

/** Interim answers (1xx) that are passed over; a server has a reason for one or two, and none for a flood (ours). */
const MAX_INTERIM = 16

const SWITCHING_PROTOCOLS = 101

/** A server that gave no final answer, however long it talked: the last status that it did send. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  readonly status: number

  constructor(status: number) {
    super(`The server answered ${status} and nothing that is final.`)
    this.status = status
  }
}

/**
 * The final answer to a request. It settles whatever becomes of the connection: Node emits neither a response nor an
 * error where a server switches protocols unasked, and whoever waits for one of the two alone would wait for ever.
 * Rejects with `NoAnswer` after 101 and after too many interim answers, else with the connection's error.
 */
export function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interim = 0
    request
      .once('response', resolve)
      .once('upgrade', (_, socket) => {
        reject(new NoAnswer(SWITCHING_PROTOCOLS))
        socket.destroy()
      })
      .on('information', ({ statusCode }) => {
        interim += 1
        if (interim > MAX_INTERIM) request.destroy(new NoAnswer(statusCode))
      })
      // Not once: what follows the first error is nobody's concern, and must not end the program.
      .on('error', reject)
      .once('close', () => reject(new Error('The connection ended without an answer.')))
  })
}

/** What the work comes to, unless the signal is aborted first: then its reason is thrown, whatever the work does. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(signal.reason)
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', giveUp))
}
