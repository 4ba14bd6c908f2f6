import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { holdSocket } from '#base/hold-socket.ts'

/** Requests that one connection may send ahead before nothing more of it is read (ours). */
const MAX_AHEAD = 100

interface Turn {
  readonly response: ServerResponse
  readonly serve: () => void
}

interface Connection {
  /** Answered or not. */
  newest: IncomingMessage
  /** Those without a complete answer; the first is being served. */
  readonly turns: Turn[]
  /** Reads on, where nothing more is read. */
  readOn?: (() => void) | undefined
}

/**
 * The requests of each connection, of which one is served when the one before it has been answered. Node tells of each as
 * soon as it has read it: one client without a key could have thousands go on at once.
 */
export class Turns {
  readonly #connections = new WeakMap<Socket, Connection>()

  /** Serves a request when its turn has come, which may be never. */
  take(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const { socket } = request
    const connection: Connection = this.#connections.get(socket) ?? { newest: request, turns: [] }
    this.#connections.set(socket, connection)
    connection.newest = request
    connection.turns.push({ response, serve })
    if (connection.turns.length === 1) this.#serve(connection)
    else if (connection.turns.length > MAX_AHEAD) connection.readOn ??= holdSocket(socket)
  }

  /** Whether bytes that are no request can be told so: no answer is under way, nor owed, nor the rest of a body due. */
  isFree(socket: Socket): boolean {
    const connection = this.#connections.get(socket)
    return connection === undefined || (connection.turns.length === 0 && connection.newest.complete)
  }

  #serve(connection: Connection): void {
    const { response, serve } = connection.turns[0]!
    response.once('close', () => this.#goOn(connection))
    serve()
  }

  #goOn(connection: Connection): void {
    const { newest, turns } = connection
    turns.shift()
    // An answer that closed the connection has its sender send the others again elsewhere.
    if (!newest.socket.writable) turns.length = 0
    if (turns.length <= MAX_AHEAD) {
      connection.readOn?.()
      connection.readOn = undefined
    }
    if (turns.length > 0) this.#serve(connection)
  }
}
