import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import { urlToHttpOptions } from 'node:url'
import { writePiece } from '#base/write-piece.ts'
import { limits } from '#contract/limits'
import { describe, type Log } from '../log.ts'
import { refuse } from '../refusal.ts'
import { createAgents } from './agents.ts'
import { requestHeaders, responseHeaders } from './headers.ts'

/**
 * Passes requests on to the router as they come. A router that does not answer is 502 `backend_unavailable`; an answer
 * that it cuts off is cut off here too.
 */
export interface Forwarder {
  forward(request: IncomingMessage, response: ServerResponse): void
  close(): void
}

/**
 * How long a connection on which nothing happens is kept (ours). Servers close theirs after a minute or so, and a
 * request that meets the closing would be lost.
 */
const IDLE_MS = 20_000

/** Needs to have been asked for, which no request here does. */
const SWITCHING_PROTOCOLS = 101

/** What a status line may say; for anything else the status has words of its own. */
const STATUS_TEXT = /^[\t\x20-\x7e]*$/

/**
 * Creates a forwarder to an origin; idle connections are kept for `idleMs`. Connecting may take `connectTimeoutMs`,
 * a request as a whole any time.
 */
export function createForwarder(upstream: URL, log: Log, idleMs = IDLE_MS): Forwarder {
  const tls = upstream.protocol === 'https:'
  const agents = createAgents(tls, idleMs)
  // Of a URL Node makes an object without a prototype, for each request, and copies that again and again, slowly.
  const { protocol, hostname, port, auth } = urlToHttpOptions(upstream)
  const open = tls ? tlsRequest : request
  return {
    forward(incoming, response) {
      const { method, url: path, socket } = incoming
      const headers = requestHeaders(incoming, peerOf(socket.remoteAddress))
      const outgoing = agents.use((agent) =>
        open({ protocol, hostname, port, auth, agent, method, path, headers }),
      )
      const sent = watchConnecting(outgoing)
      outgoing.on('response', (answer) => {
        if (answer.statusCode === SWITCHING_PROTOCOLS) return switched(answer.socket)
        try {
          relay(answer, response, incoming, outgoing)
        } catch (error) {
          log.warn('an answer of the router cannot be passed on', { cause: describe(error) })
          response.destroy()
        }
      })
      outgoing.on('error', fail)
      // Without a listener Node closes the connection and says nothing.
      outgoing.on('upgrade', (_, upgraded) => switched(upgraded))
      // A client that leaves before the end ends the request, whatever state it is in.
      response.on('close', () => {
        if (!response.writableFinished) outgoing.destroy()
      })
      incoming.pipe(outgoing)

      function switched(upgraded: Duplex): void {
        upgraded.destroy()
        fail(new Error('the router switched to a protocol that nobody asked for'))
      }

      function fail(error: Error): void {
        // Once there is an answer, its own end tells whether it is whole.
        if (response.headersSent || response.destroyed) return
        log.warn('the router does not answer', { cause: describe(error) })
        // A request that may have arrived may have been paid for: it is not to be sent again.
        if (sent()) response.setHeader('x-should-retry', 'false')
        refuse(incoming, response, 'backend_unavailable', 'The router behind this gateway does not answer.')
        discard(incoming, outgoing)
      }
    },
    close: agents.close,
  }
}

function relay(
  answer: IncomingMessage,
  response: ServerResponse,
  incoming: IncomingMessage,
  outgoing: ClientRequest,
): void {
  const { statusCode, statusMessage = '' } = answer
  const text = STATUS_TEXT.test(statusMessage) ? statusMessage : undefined
  response.writeHead(statusCode!, text, responseHeaders(answer))
  let begun = false
  answer.on('data', (bytes: Buffer) => {
    begun = true
    if (!writePiece(response, bytes)) answer.pause()
  })
  answer.on('end', () => {
    if (!response.destroyed) response.end()
  })
  response.on('drain', () => answer.resume())
  // The header waits for a body that came along with it, and for nothing else.
  setImmediate(() => {
    if (!begun && !response.writableEnded) response.flushHeaders()
  })
  answer.on('close', () => {
    // An answer that is cut off must not look like one that has ended.
    if (!answer.complete) response.destroy()
    // The router answered without reading on: the rest is not sent.
    else if (!outgoing.writableFinished) discard(incoming, outgoing)
  })
}

/** Reads what the client still sends, so that its connection serves another request, and passes none of it on. */
function discard(incoming: IncomingMessage, outgoing: ClientRequest): void {
  incoming.unpipe(outgoing)
  incoming.resume()
  outgoing.destroy()
}

/** Bounds the time that making a connection takes. The result tells whether a byte may have been sent. */
function watchConnecting(outgoing: ClientRequest): () => boolean {
  let connected = false
  outgoing.on('socket', (socket) => {
    connected = !socket.connecting
    if (connected) return
    const late = new Error(`no connection within ${limits.connectTimeoutMs} ms`)
    const timer = setTimeout(() => outgoing.destroy(late), limits.connectTimeoutMs)
    outgoing.on('close', () => clearTimeout(timer))
    socket.once('connect', () => {
      connected = true
      clearTimeout(timer)
    })
  })
  return () => connected
}

/** An IPv4 client of a dual-stack listener looks like an IPv6 one. */
function peerOf(address = 'unknown'): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}
