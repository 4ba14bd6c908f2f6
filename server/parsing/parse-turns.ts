import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { holdSocket } from '#base/hold-socket.ts'
import { declaredLength } from '../bodies/body.ts'
import { ParseBudget } from './parse-budget.ts'

/**
 * What is parsed of a connection before others have a say (ours): one read brings 64 KiB, which may be two thousand
 * requests or ten thousand pieces of a body.
 */
const SLICE_BYTES = 1_024

/** What ends every head, and every body in chunks. */
const END = Buffer.from('\r\n\r\n')
const [CR, LF] = END

/** What may be read ahead of an answer (ours): who sends less than that is heard to leave. */
const AHEAD_BYTES = 16_384

/** One connection, as far as it is parsed. */
interface Connection {
  readonly socket: Socket
  /** Node's own parser. */
  readonly parse: (bytes: Buffer) => void
  /** Requests without a complete answer. */
  unanswered: readonly ServerResponse[]
  /** Whether part of a head was parsed whose end was not. */
  isInHead: boolean
  /** The newest request, until it is answered. */
  request?: IncomingMessage | undefined
  /** Bytes of its body that may still come, where their number is known. */
  bodyLeft: number | undefined
  /** What was read and is not parsed yet. */
  rest: Buffer
  /** Reads on, where nothing more is read. */
  readOn?: (() => void) | undefined
  /** What the chunks of its bodies have taken of the thread in this turn. */
  usedMs: number
  /** Of the request that is parsed just now, where one slice has all of it. */
  head?: Buffer | undefined
  /** Whether an answer on it has ended: Node times the first head from the connection's beginning on. */
  hasServed: boolean
}

/** Tells the answer, all of it, to bytes that are exactly one request; undefined where it takes a parser to tell. */
export type AnswerAtOnce = (bytes: Buffer) => string | undefined

/** How long the chunks of one connection are parsed while others wait for the same (ours). */
const TURN_MS = 1

const NOTHING = Buffer.alloc(0)

/**
 * Stands between the connections of a server and Node's parser, which would parse all that a read brings at one go. A
 * request is not parsed before the one ahead of it is answered (REQ-69): half of its head would be timed meanwhile, and
 * what is wrong with it be told in the other's place. Bodies in chunks share a budget of time: each chunk costs as much
 * as a whole read, and may have a single byte (REQ-68). Turns are of equal time and not of equal bytes: an honest body
 * is through after a few, and whoever comes anew stands behind it.
 */
export class ParseTurns {
  readonly #budget: ParseBudget
  readonly #answerAtOnce: AnswerAtOnce
  readonly #connections = new WeakMap<Socket, Connection>()
  /** Those whose next chunks wait for time, the next one first. */
  readonly #waiting = new Set<Connection>()
  /** The one whose turn it is. */
  #served: Connection | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(budget = new ParseBudget(), answerAtOnce: AnswerAtOnce = () => undefined) {
    this.#budget = budget
    this.#answerAtOnce = answerAtOnce
  }

  /** Takes what comes on a new connection out of the hands of Node's server, which listens already. */
  follow(socket: Socket): void {
    const [parse] = socket.listeners('data') as [(bytes: Buffer) => void]
    const unanswered: ServerResponse[] = []
    const connection: Connection = {
      socket,
      parse,
      unanswered,
      isInHead: false,
      bodyLeft: 0,
      rest: NOTHING,
      usedMs: 0,
      hasServed: false,
    }
    this.#connections.set(socket, connection)
    socket.off('data', parse)
    socket.on('data', (bytes) => this.#read(connection, bytes))
    socket.once('close', () => this.leave(socket))
  }

  /** A request has begun on a connection that is followed. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket)
    if (connection === undefined) return
    connection.isInHead = false
    connection.request = request
    connection.bodyLeft = declaredLength(request)
    connection.unanswered = [...connection.unanswered, response]
    response.once('close', () => {
      connection.hasServed = true
      connection.unanswered = connection.unanswered.filter((one) => one !== response)
      if (request.complete && connection.request === request) connection.request = undefined
      // In a turn of its own: many short answers on one connection would be one long turn.
      if (connection.rest.length > 0) setImmediate(() => this.#go(connection))
    })
  }

  /** The head of a request that begins in this moment, as it came; undefined where it came in pieces. */
  headOf({ socket }: IncomingMessage): Buffer | undefined {
    return this.#connections.get(socket)?.head
  }

  /** The requests of a connection that are without a complete answer. */
  unanswered(socket: object): readonly ServerResponse[] {
    return [...(this.#connections.get(socket as Socket)?.unanswered ?? [])]
  }

  /** Whether what comes is the body of a request that was answered. */
  isAnswered(socket: object): boolean {
    const connection = this.#connections.get(socket as Socket)
    return connection?.request?.complete === false && connection.unanswered.length === 0
  }

  /** Parses nothing more of a connection: it is over, or spoke nonsense. */
  leave(socket: object): void {
    const connection = this.#connections.get(socket as Socket)
    if (connection === undefined) return
    this.#connections.delete(connection.socket)
    this.#waiting.delete(connection)
    connection.rest = NOTHING
    letGo(connection)
  }

  #read(connection: Connection, bytes: Buffer): void {
    if (!this.#connections.has(connection.socket)) return
    const { rest } = connection
    connection.rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    this.#go(connection)
  }

  /** Parses what may be parsed now; while much is left, nothing more is read. */
  #go(connection: Connection): void {
    while (connection.rest.length > 0) {
      if (!this.#parseNext(connection)) return
      if (connection.socket.destroyed) this.leave(connection.socket)
    }
    letGo(connection)
  }

  /** Parses what comes next; false when that has to wait. */
  #parseNext(connection: Connection): boolean {
    const { parse, request, bodyLeft, unanswered } = connection
    const isInBody = request !== undefined && !request.complete
    if (isInBody && bodyLeft === undefined) {
      if (this.#budget.waitMs > 0 || this.#isBehind(connection)) {
        this.#wait(connection)
        return false
      }
      let isMore = true
      connection.usedMs += this.#budget.spend(() => {
        // Of a body that is full of what ends one, many slices make one: each costs as much as a chunk.
        for (let left = SLICE_BYTES; isMore && left > 0 && !request.complete; ) {
          const slice = takeSlice(connection)
          isMore = slice !== undefined
          if (slice) parse(slice)
          left -= slice?.length ?? 0
        }
      })
      return isMore
    } else if (isInBody && bodyLeft! > 0) {
      const bytes = take(connection, bodyLeft!)
      connection.bodyLeft = bodyLeft! - bytes.length
      parse(bytes)
    } else if (unanswered.length > 0) {
      if (connection.rest.length > AHEAD_BYTES) hold(connection)
      return false
    } else if (!connection.socket.writable) {
      // Its sender was told that nothing more is answered, and may send this again elsewhere.
      this.leave(connection.socket)
      return false
    } else {
      const isBeginning = !connection.isInHead
      if (isBeginning) {
        dropLineEnds(connection)
        if (this.#answers(connection)) return true
      }
      const slice = takeSlice(connection)
      if (slice === undefined) return false
      connection.isInHead = true
      if (isBeginning) connection.head = slice
      parse(slice)
      connection.head = undefined
    }
    return true
  }

  /** Whether what is there was a request that could be answered at once, and whose sender reads its answers. */
  #answers(connection: Connection): boolean {
    const { socket, rest, hasServed } = connection
    if (!hasServed || socket.writableLength > 0) return false
    const answer = this.#answerAtOnce(rest)
    if (answer === undefined) return false
    connection.rest = NOTHING
    socket.write(answer, 'latin1')
    return true
  }

  /** Whether others that wait come before the next chunks of this one. */
  #isBehind(connection: Connection): boolean {
    return this.#waiting.size > 0 && (connection !== this.#served || connection.usedMs >= TURN_MS)
  }

  #wait(connection: Connection): void {
    hold(connection)
    this.#waiting.add(connection)
    this.#timer ??= setTimeout(() => this.#giveTurns(), this.#budget.waitMs).unref()
  }

  #giveTurns(): void {
    this.#timer = undefined
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (this.#budget.waitMs > 0) break
      this.#waiting.delete(next)
      next.usedMs = 0
      this.#served = next
      this.#go(next)
    }
    this.#served = undefined
    if (this.#waiting.size > 0)
      this.#timer ??= setTimeout(() => this.#giveTurns(), this.#budget.waitMs).unref()
  }

  /** The longest waiting of those that wait for their answer; bodies that are thrown away come behind them. */
  #next(): Connection | undefined {
    for (const one of this.#waiting) if (one.unanswered.length > 0) return one
    return this.#waiting.values().next().value
  }
}

/**
 * Takes a slice in which at most one request ends, and nothing stands behind that end. Undefined where only the next
 * bytes tell whether it is one; then these are read.
 */
function takeSlice(connection: Connection): Buffer | undefined {
  const { rest } = connection
  const most = SLICE_BYTES + END.length - 1
  const end = (rest.length <= most ? rest : rest.subarray(0, most)).indexOf(END)
  if (end >= 0) return take(connection, end + END.length)
  const certain = rest.length - begunEnd(rest)
  if (certain > 0) return take(connection, Math.min(SLICE_BYTES, certain))
  letGo(connection)
  return undefined
}

/** How many bytes of an end stand at the end of these. */
function begunEnd(bytes: Buffer): number {
  // Mostly none, and then it costs nothing.
  const last = bytes.at(-1)
  if (last === undefined || !END.includes(last)) return 0
  for (let length = END.length - 1; length > 0; length--) {
    if (bytes.subarray(-length).equals(END.subarray(0, length))) return length
  }
  return 0
}

/**
 * Drops line ends ahead of a request, which Node's parser passes over as well: two of them are an end, and a read brings
 * sixteen thousand slices of that kind.
 */
function dropLineEnds(connection: Connection): void {
  const { rest } = connection
  let at = 0
  // No further than to its end: a look behind that makes each one ten times as slow.
  while (at < rest.length && (rest[at] === CR || rest[at] === LF)) at++
  if (at > 0) connection.rest = rest.subarray(at)
}

/** Takes so many bytes of what is left, or all. Nearly always that is all, and needs no view of a part. */
function take(connection: Connection, bytes: number): Buffer {
  const { rest } = connection
  if (bytes >= rest.length) {
    connection.rest = NOTHING
    return rest
  }
  connection.rest = rest.subarray(bytes)
  return rest.subarray(0, bytes)
}

function hold(connection: Connection): void {
  connection.readOn ??= holdSocket(connection.socket)
}

function letGo(connection: Connection): void {
  connection.readOn?.()
  connection.readOn = undefined
}
