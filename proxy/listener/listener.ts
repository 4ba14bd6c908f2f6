import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Turns } from '#base/turns.ts'
import { limits } from '#contract/limits'
import type { Log } from '../log.ts'
import { malformed } from '../refusal.ts'
import { refuse } from '../refuse.ts'
import type { Tally } from '../tally.ts'
import { guard } from './guard.ts'
import type { ListenConfig } from './listen-config.ts'
import { isAmbiguous, refuseSocket } from './malformed.ts'
import { open } from './open.ts'

/** A listener that serves. */
export interface Listener {
  /** Where clients connect: with `/v1`, or `unix:` and the path of a socket. */
  readonly address: string
  /** 0 for a socket. */
  readonly port: number
  /** Takes no new requests; resolves when those that run have ended, or the time for it has passed. */
  drain(limitMs: number): Promise<void>
  /** Closes what is left. */
  close(): Promise<void>
}

/** What requests are for: it answers those that may pass; those that may not are counted as its own. */
export interface Destination {
  readonly tally: Tally
  forward(request: IncomingMessage, response: ServerResponse): void
}

/** How long a client may take over its headers (ours). */
const HEADERS_TIMEOUT_MS = 30_000

/** How often Node looks whose time is up; its own half a minute would make a whole one of that (ours). */
const CHECK_MS = 1_000

/** Listens for clients of one endpoint. Rejects with `ListenError` where it cannot. */
export async function listen(config: ListenConfig, endpoint: Destination, log: Log): Promise<Listener> {
  const turns = new Turns()
  const server = createServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_MS,
      // An answer may take an hour, and so may a request; both are under way.
      requestTimeout: 0,
      // A request without one is refused like any other foreign one.
      requireHostHeader: false,
      maxHeaderSize: limits.maxHeaderBytes,
    },
    (request, response) => turns.take(request, response, () => tryToServe(request, response)),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Behind the last request of a connection, whose answer closes it (REQ-74).
    if (error.code === 'HPE_CLOSED_CONNECTION') return
    // A refusal in the midst of an answer, or in front of one that is still to come, would be taken for a part of it, or
    // for it, and one behind it for the next one: such a connection is cut. One whose body is wrong has none to come.
    const [first, ...others] = turns.unanswered(socket)
    const isAnswering = first !== undefined && (first.req.complete || first.headersSent || others.length > 0)
    const isAnswered = first === undefined && turns.newest(socket)?.complete === false
    // Node's timer is up for one that was opened ahead: what it was told now it would take for its answer (REQ-71).
    const isUnused = socket.bytesRead === 0
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering || isAnswered || isUnused)
      socket.destroy()
    else refuseSocket(socket, error.code)
  })
  server.on('connect', (_, socket) => {
    if (turns.unanswered(socket).length > 0) socket.destroy()
    else refuseSocket(socket)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    turns.take(request, response, () => refuse(request, response, malformed(), config.origins))
  })
  await open(server, config, 'listen')
  const closed = once(server, 'close')
  const port = config.socket === undefined ? (server.address() as AddressInfo).port : 0
  return {
    port,
    address: addressOf(config, port),
    async drain(limitMs) {
      if (server.listening) server.close()
      server.closeIdleConnections()
      const timer = new AbortController()
      await Promise.race([turns.end(), sleep(limitMs, undefined, timer).catch(() => {})])
      timer.abort()
    },
    async close() {
      server.closeAllConnections()
      await closed
    },
  }

  function tryToServe(request: IncomingMessage, response: ServerResponse): void {
    try {
      serve(request, response)
    } catch (error) {
      // One request must not take the others along, nor leave its client waiting.
      log.error('a request could not be served, and its client was hung up on', { error })
      response.destroy()
    }
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const refusal = isAmbiguous(request) ? malformed() : guard(request, config)
    if (refusal === undefined) endpoint.forward(request, response)
    else {
      endpoint.tally.begin()
      endpoint.tally.end(refusal.code, false)
      refuse(request, response, refusal, config.origins)
    }
  }
}

function addressOf({ host, socket }: ListenConfig, port: number): string {
  if (socket !== undefined) return `unix:${socket}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/v1`
}
