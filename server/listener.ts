import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { sayLast } from '#base/last-words.ts'
import { limits } from '#contract/limits'
import { Discards } from './bodies/discard.ts'
import { holdSocket } from './bodies/hold-socket.ts'
import { ApiError } from './errors.ts'
import { requestIdFor } from './request-id.ts'

/** How long a client may take over its headers (ours). */
const HEADERS_TIMEOUT_MS = 30_000

/**
 * How many requests of one connection may wait for their answers (ours); whoever sends more ahead is hung up on. Node would
 * take up all that it reads in a turn, some ten thousand requests from anybody, before it served anybody else.
 */
const MAX_UNANSWERED = 16

type FetchCallback = Parameters<typeof getRequestListener>[0]

/**
 * Creates the server around the application. What is no well-formed request gets the contract's error as well, and so
 * does one whose line and headers have more than `maxHeaderBytes`.
 */
export function createListener(fetch: FetchCallback, maxHeaderBytes: number = limits.maxHeaderBytes): Server {
  const answer = getRequestListener(fetch, {
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
    errorHandler: () => new Response(bodyOf(MALFORMED), { status: MALFORMED.status, headers: headersOf() }),
  })
  const options = {
    // Load balancers keep idle sockets for 60 s; closing ours earlier makes them answer 502.
    keepAliveTimeout: limits.keepAliveMs,
    headersTimeout: HEADERS_TIMEOUT_MS,
    maxHeaderSize: maxHeaderBytes,
    // Node would answer a missing Host by an empty body; the application refuses it in the contract's shape.
    requireHostHeader: false,
  }
  const tooLarge = new ApiError(
    'headers_too_large',
    `The request line and the headers have more than ${maxHeaderBytes} bytes.`,
  )
  const discards = new Discards()
  const answers = new WeakMap<Duplex, Set<ServerResponse>>()
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const open = answers.get(socket) ?? new Set()
    if (open.size === MAX_UNANSWERED) return void socket.destroy()
    // Reads no more of it before all others have had their turn.
    if (open.size === 1) setImmediate(holdSocket(socket))
    answers.set(socket, open.add(response))
    response.once('close', () => open.delete(response))
    discards.follow(request, response)
    if (SINGLE.some((name) => isRepeated(request, name)) || request.headers.host === undefined)
      refuse(response)
    else void answer(request, response)
  }
  const server = createServer(options, serve)
  // A generation may take an hour; what it sends is timed by the relay, what it receives by the body's reader.
  server.requestTimeout = 0
  // Nobody is asked for a body before it is known whose it is: the reader of the body says when to go on.
  server.on('checkContinue', serve)
  server.on('checkExpectation', (_, response) => refuse(response))
  server.on('connect', (_, socket) => refuseSocket(socket, MALFORMED))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // An answer that has begun is cut off: a second one in its midst could be taken for a part of it.
    const isAnswering = [...(answers.get(socket) ?? [])].some(({ headersSent }) => headersSent)
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) socket.destroy()
    else refuseSocket(socket, error.code === 'HPE_HEADER_OVERFLOW' ? tooLarge : MALFORMED)
  })
  return server
}

const MALFORMED = new ApiError('invalid_json', 'This is not a well-formed HTTP/1.1 request for this server.')

/** Headers that stand once: of two, each reader on the way might take another. */
const SINGLE = ['host', 'authorization']

function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === name) count++
  return count > 1
}

function bodyOf(error: ApiError): string {
  return JSON.stringify(error.toBody())
}

function headersOf(): Record<string, string> {
  return { 'Content-Type': 'application/json', 'X-Request-Id': requestIdFor(undefined) }
}

function headersFor(body: string): Record<string, string> {
  return { ...headersOf(), 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' }
}

function refuse(response: ServerResponse): void {
  const body = bodyOf(MALFORMED)
  response.writeHead(MALFORMED.status, headersFor(body)).end(body)
}

function refuseSocket(socket: Duplex, error: ApiError): void {
  const body = bodyOf(error)
  const lines = Object.entries(headersFor(body)).map(([name, value]) => `${name}: ${value}`)
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`
  sayLast(socket, `${[status, ...lines].join('\r\n')}\r\n\r\n${body}`)
}
