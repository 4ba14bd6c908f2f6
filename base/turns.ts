import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { holdSocket } from './hold-socket.ts'
import { type Entry, Roster } from './roster.ts'

/** Requests that one connection may send ahead before nothing more of it is read (PRXY-31). */
const MAX_AHEAD = 100

/** One request that is not answered yet. */
interface Turn {
  readonly response: ServerResponse
  readonly serve: () => void
  readonly end: PromiseWithResolvers<void>
  /** Among those of all connections. */
  readonly entry: Entry<Unanswered>
}

/** What the end of a listener waits for. */
type Unanswered = Pick<Turn, 'response' | 'end'>

/** What has come on one connection. */
interface Connection {
  /** Answered or not. */
  newest: IncomingMessage
  /** Those without a complete answer; the first is being served. */
  readonly turns: Turn[]
  /** Reads on, where nothing more is read. */
  readOn?: (() => void) | undefined
}

/**
 * The requests of each connection, of which one is served when the one before it has been answered; Node tells of each
 * as soon as it has read it.
 */
export class Turns {
  readonly #connections = new WeakMap<Duplex, Connection>()
  readonly #unanswered = new Roster<Unanswered>()
  #isEnding = false

  /** Serves a request when its turn has come, which may be never. */
  take(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const { socket } = request
    const known = this.#connections.get(socket)
    const connection = known ?? { newest: request, turns: [] }
    if (known === undefined) this.#connections.set(socket, connection)
    else if (losesWhatFollows(known.newest)) {
      // This is the rest of something. The answer that is on its way ends the connection, and must not be lost by that.
      if (known.turns.length === 0) socket.destroySoon()
      else known.readOn ??= holdSocket(socket)
      return
    }
    connection.newest = request
    if (this.#isEnding && connection.turns.length === 0) socket.destroySoon()
    // Nobody could be told what became of it (REQ-74).
    if (this.#isEnding || !socket.writable) return
    if (losesWhatFollows(request)) response.shouldKeepAlive = false
    const unanswered = { response, end: Promise.withResolvers<void>() }
    const turn = { ...unanswered, serve, entry: this.#unanswered.add(unanswered) }
    connection.turns.push(turn)
    if (connection.turns.length === 1) this.#serve(turn, connection)
    // A read brings thousands, and each takes a hundred times the memory of its bytes. One who sends fewer ahead is
    // heard to leave.
    else if (connection.turns.length > MAX_AHEAD) connection.readOn ??= holdSocket(socket)
  }

  /** The requests of a connection without a complete answer, the one first that is being served. */
  unanswered(socket: Duplex): readonly ServerResponse[] {
    return this.#connections.get(socket)?.turns.map(({ response }) => response) ?? []
  }

  /** The newest request of a connection, answered or not. */
  newest(socket: Duplex): IncomingMessage | undefined {
    return this.#connections.get(socket)?.newest
  }

  /**
   * Serves nothing that comes from now on: each connection ends with the answer it waits for (PRXY-31). Resolves when
   * all have.
   */
  async end(): Promise<void> {
    this.#isEnding = true
    for (const { response } of this.#unanswered) response.shouldKeepAlive = false
    await Promise.all([...this.#unanswered].map(({ end }) => end.promise))
  }

  #serve(turn: Turn, connection: Connection): void {
    turn.response.once('close', () => this.#goOn(connection))
    turn.serve()
  }

  #goOn(connection: Connection): void {
    const { newest, turns } = connection
    // Of one whose head had gone out before, too.
    if (this.#isEnding) newest.socket.destroySoon()
    // An answer that closed the connection has its sender send the others again elsewhere (REQ-74).
    const ended = newest.socket.writable ? turns.splice(0, 1) : turns.splice(0)
    for (const turn of ended) {
      this.#unanswered.remove(turn.entry)
      turn.end.resolve()
    }
    if (turns.length <= MAX_AHEAD) {
      connection.readOn?.()
      connection.readOn = undefined
    }
    if (turns[0] === undefined) return
    // What was left of the time for the end of the answer before is not this one's.
    newest.socket.setTimeout(0)
    this.#serve(turns[0], connection)
  }
}

/**
 * Whether Node loses what comes in one read with a request: its parser stops behind one that asks for another protocol.
 * What comes next is the rest of something, such as a body, and must not be taken for a request.
 */
function losesWhatFollows({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined
}
