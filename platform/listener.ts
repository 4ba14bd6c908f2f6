import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { sayLast } from '#base/last-words.ts'
import { dropStalled } from '#base/stalled.ts'
import { Turns } from '#base/turns.ts'
import { limits } from '#contract/limits'
import { type WireDigest, wireDigest } from './digest.ts'
import type { Identity } from './identity.ts'
import { unreadable } from './refusal.ts'

/** Answers a request; `leaf` is the digest of the certificate that its connection was shown. */
export type Handler = (request: IncomingMessage, response: ServerResponse, leaf: WireDigest) => void

/** Where TLS ends. */
export interface Listener {
  /** Shows this certificate on every connection from now on; those that are open stay as they are. */
  present(identity: Identity): void
  listen(host: string, port: number): Promise<number>
  /** Takes no more connections, lets running requests end until the deadline, and closes what is left. */
  close(deadlineMs: number): Promise<void>
}

const TICKET_KEY_BYTES = 48
const BACKLOG = 4_096
/** Of a connection whose request does not come, which may have been opened ahead. */
const TIME_IS_UP = 'ERR_HTTP_REQUEST_TIMEOUT'

/**
 * Creates a listener for TLS 1.3. Call `present` before `listen`: until then handshakes fail. An answer on a connection
 * with an earlier certificate says `Connection: close`.
 */
export function createListener(handle: Handler): Listener {
  const server = createServer({ keepAliveTimeout: limits.keepAliveMs, noDelay: true })
  const { open, older } = trackSockets(server)
  const leafOf = rememberLeaves()
  const turns = new Turns()
  let newest: WireDigest | undefined
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    // Asking a connection has its certificate copied and read anew, which takes some 50 µs.
    const leaf = older.size === 0 ? newest! : leafOf(request.socket as TLSSocket)
    // Closing it brings the client to the new certificate with its next request.
    if (leaf !== newest) response.shouldKeepAlive = false
    dropStalled(response, limits.stalledClientMs)
    handle(request, response, leaf)
  }
  server.on('request', (request, response) => turns.take(request, response, () => serve(request, response)))
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    // Behind the last request of a connection, whose answer closes it.
    if (code === 'HPE_CLOSED_CONNECTION') return
    // In the midst of an answer, or before one that is owed, a refusal would be taken for a part of it, or for it; behind
    // one that came before the end of its request, for the next.
    const isOwed = turns.unanswered(socket).length > 0 || turns.newest(socket)?.complete === false
    if (code === 'ECONNRESET' || code === TIME_IS_UP || !socket.writable || isOwed) socket.destroy()
    else sayLast(socket, unreadable(code))
  })
  return {
    present(identity) {
      const [leaf, ...issuers] = identity.chain
      server.setSecureContext({
        key: identity.privateKey.export({ type: 'pkcs8', format: 'pem' }),
        // The root is left out: a client that trusts it has it.
        cert: [leaf, ...issuers.slice(0, -1)].join(''),
        minVersion: 'TLSv1.3',
        // A session of the certificate before cannot be resumed: its client has to look at the new one.
        ticketKeys: randomBytes(TICKET_KEY_BYTES),
      })
      newest = wireDigest(leaf!.raw)
      for (const socket of open) older.add(socket)
    },
    async listen(host, port) {
      server.listen({ host, port, backlog: BACKLOG })
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    },
    async close(deadlineMs) {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      await Promise.race([turns.end(), after(deadlineMs)])
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

interface Sockets {
  /** All, down to those that have not yet finished their handshake. */
  readonly open: ReadonlySet<Socket>
  /** Those among them that may show another certificate than the newest. */
  readonly older: Set<Socket>
}

function trackSockets(server: Server): Sockets {
  const open = new Set<Socket>()
  const older = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      older.delete(socket)
    })
  })
  return { open, older }
}

/** Tells which certificate a connection shows, which is not always the one that is shown to new ones. */
function rememberLeaves(): (socket: TLSSocket) => WireDigest {
  const leaves = new WeakMap<TLSSocket, WireDigest>()
  return (socket) => {
    const known = leaves.get(socket)
    if (known) return known
    // A client that has left already shows nothing any more, and sees no answer either.
    const leaf = wireDigest(socket.getX509Certificate()?.raw ?? '')
    leaves.set(socket, leaf)
    return leaf
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
