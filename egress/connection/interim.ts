import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** Most that may come before an answer's own head (ours); a server that goes on saying less is answering nothing. */
const MAX_INTERIM_BYTES = 16_384

const LF = 0x0a
const CR = 0x0d
const NOTHING = Buffer.alloc(0)

/** What a status line begins with, and the digits that the kind of an answer is told by. */
const STATUS_LINE = /^HTTP\/1\.\d [01]\d\d/
const SWITCHING_PROTOCOLS = '101'

/** Where the first digit of a status stands. */
const STATUS_AT = 'HTTP/1.1 '.length
const STATUS_END = STATUS_AT + 3

/** The server said something before its answer that no answer can follow. */
class InterimError extends Error {
  override readonly name = 'InterimError'
}

const watched = new WeakMap<object, InterimFilter>()

// undici tells by this channel when it writes a request, and onto which socket: the next bytes begin an answer.
subscribe('undici:client:sendHeaders', (message) => {
  if (isWritten(message)) watched.get(message.socket)?.expectAnswer()
})

/**
 * Wraps a connector, so that answers of the kind 1xx are passed over on its sockets (RFC 9110, 15.2). undici itself
 * gives a connection up at a `100 Continue` that it did not ask for, and waits for ever for the end of an answer that
 * came without a length behind another 1xx; it has no option for either.
 */
export function passingOverInterim(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...outcome) => {
      const [error, socket] = outcome
      if (error !== null) return callback(...outcome)
      watched.set(socket, new InterimFilter(socket))
      return callback(null, socket)
    })
}

function isWritten(message: unknown): message is { readonly socket: object } {
  return typeof message === 'object' && message !== null && 'socket' in message
}

/** Reads the beginning of each answer before undici does, and puts back what is not of the kind 1xx. */
class InterimFilter {
  readonly #socket: Socket
  #isAwaited = false
  #held: Buffer = NOTHING
  #passedOverBytes = 0

  constructor(socket: Socket) {
    this.#socket = socket
    // Whoever listens first reads first; between two heads this costs a look at one member.
    socket.on('readable', () => {
      if (this.#isAwaited) this.#read()
    })
  }

  expectAnswer(): void {
    this.#isAwaited = true
    this.#held = NOTHING
    this.#passedOverBytes = 0
  }

  #read(): void {
    const piece: Buffer | null = this.#socket.read()
    if (piece === null) return
    const bytes = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece])
    let at = 0
    for (let end = endOfInterim(bytes, at); end > at; end = endOfInterim(bytes, at)) at = end
    const rest = bytes.subarray(at)
    const status = statusIn(rest)
    if (status === 'final') {
      this.#isAwaited = false
      this.#held = NOTHING
      this.#socket.unshift(rest)
      return
    }
    this.#passedOverBytes += at
    this.#held = rest
    if (status === 'wrong') this.#giveUp('A protocol or a status that nobody asked for.')
    else if (this.#passedOverBytes + rest.length > MAX_INTERIM_BYTES) {
      this.#giveUp('No answer, but for interim ones.')
    }
  }

  #giveUp(message: string): void {
    this.#isAwaited = false
    this.#socket.destroy(new InterimError(message))
  }
}

/** Whether an answer of its own begins here, one that cannot be, or one that is to be passed over or read on. */
function statusIn(bytes: Buffer): 'final' | 'wrong' | 'interim' {
  const line = bytes.toString('latin1', 0, STATUS_END)
  if (line.length < STATUS_END) return couldBeInterim(line) ? 'interim' : 'final'
  if (!STATUS_LINE.test(line)) return 'final'
  const status = line.slice(STATUS_AT)
  return status === SWITCHING_PROTOCOLS || status.startsWith('0') ? 'wrong' : 'interim'
}

/** Whether more bytes could make it the line of an interim answer. */
function couldBeInterim(line: string): boolean {
  return STATUS_LINE.test(line + 'HTTP/1.1 100'.slice(line.length))
}

/** Where an interim answer that is whole ends, with the empty lines before it; `from` when there is none. */
function endOfInterim(bytes: Buffer, from: number): number {
  let at = from
  while (bytes[at] === CR || bytes[at] === LF) at++
  if (at > from) return at
  if (bytes.length - at < STATUS_END || statusIn(bytes.subarray(at, at + STATUS_END)) !== 'interim')
    return from
  for (let line = bytes.indexOf(LF, at); line !== -1; line = bytes.indexOf(LF, line + 1)) {
    const next = bytes[line + 1] === CR ? line + 2 : line + 1
    if (bytes[next] === LF) return next + 1
  }
  return from
}
