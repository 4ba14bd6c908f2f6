import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer, STATUS_CODES } from '#base/http.ts'
import { sayLast } from '#base/last-words.ts'
import { limits } from '#contract/limits'
import type { Answer } from './answer.ts'
import { Discards } from './bodies/discard.ts'
import { ApiError } from './errors.ts'
import { type Help, noHelp } from './help.ts'
import type { Connections } from './overload/connections.ts'
import { overloaded } from './overload/refusal.ts'
import { ParseTurns } from './parsing/parse-turns.ts'
import { bodyOf, headersOf, MALFORMED } from './refusal.ts'
import type { Direct } from './routes/direct.ts'
import type { TurnAway } from './routes/turn-away.ts'

/** How long a client may take over its headers (ours). */
const HEADERS_TIMEOUT_MS = 30_000

/** How often Node looks whose time is up; its own half a minute would make a whole one of that (ours). */
const CHECK_MS = 1_000

/**
 * Creates the server around what answers. What is no well-formed request gets the contract's error as well, and so
 * does one whose line and headers have more than `maxHeaderBytes`.
 */
export function createListener(
  answer: Answer,
  maxHeaderBytes: number = limits.maxHeaderBytes,
  turns: ParseTurns = new ParseTurns(),
  connections: Pick<Connections, 'take'> = { take: () => true },
  turnAway: TurnAway = () => false,
  direct: Direct = () => false,
  help: Help = noHelp,
): Server {
  const options = {
    // Load balancers keep idle sockets for 60 s; closing ours earlier makes them answer 502.
    keepAliveTimeout: limits.keepAliveMs,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_MS,
    maxHeaderSize: maxHeaderBytes,
    // Node would answer a missing Host by an empty body; the application refuses it in the contract's shape.
    requireHostHeader: false,
  }
  const tooLarge = new ApiError(
    'headers_too_large',
    `The request line and the headers have more than ${maxHeaderBytes} bytes.`,
  )
  const refusals: Readonly<Record<string, ApiError>> = {
    HPE_HEADER_OVERFLOW: tooLarge,
    ERR_HTTP_REQUEST_TIMEOUT: TOO_SLOW,
  }
  const discards = new Discards()
  /** Each request is followed, whatever becomes of it. */
  const follow = (request: IncomingMessage, response: ServerResponse): void => {
    turns.begin(request, response)
    discards.follow(request, response)
  }
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    follow(request, response)
    if (SINGLE.some((name) => isRepeated(request, name)) || request.headers.host === undefined)
      refuse(response, MALFORMED, help)
    else if (!turnAway(request, response, turns.headOf(request)) && !direct(request, response))
      answer(request, response)
  }
  const server = createServer(options, serve)
  server.on('connection', (socket) => {
    turns.follow(socket)
    if (connections.take(socket)) return
    // What comes on it is thrown away: a connection that is closed with bytes unread loses its answer.
    turns.leave(socket)
    refuseSocket(socket, TOO_MANY, help)
  })
  // A generation may take an hour; what it sends is timed by the relay, what it receives by the body's reader.
  server.requestTimeout = 0
  // Nobody is asked for a body before it is known whose it is: the reader of the body says when to go on.
  server.on('checkContinue', serve)
  server.on('checkExpectation', (request, response) => {
    follow(request, response)
    refuse(response, MALFORMED, help)
  })
  server.on('connect', (_, socket) => {
    turns.leave(socket)
    refuseSocket(socket, MALFORMED, help)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const unanswered = turns.unanswered(socket)
    // A second answer would be taken for the one to the next request.
    const isAnswered = turns.isAnswered(socket)
    turns.leave(socket)
    const refusal = refusals[error.code ?? ''] ?? MALFORMED
    // Node's timer is up for one that was opened ahead: what it was told now it would take for its answer (REQ-71).
    const isUnused = socket.bytesRead === 0
    if (error.code === 'ECONNRESET' || !socket.writable || isUnused || isAnswered) socket.destroy()
    // What was well said before it is answered first, unless its sender has left.
    else if (!socket.readableEnded && unanswered.length > 0 && unanswered.every(({ req }) => req.complete))
      unanswered.at(-1)!.once('close', () => refuseSocket(socket, refusal, help))
    // An answer that has begun is cut off: a second one in its midst could be taken for a part of it.
    else if (unanswered.some(({ headersSent }) => headersSent)) socket.destroy()
    else refuseSocket(socket, refusal, help)
  })
  return server
}

const TOO_SLOW = new ApiError('request_timeout', 'The request line and the headers did not arrive in time.')

const TOO_MANY = overloaded('The router has as many connections as it may. Try again shortly.')

/** Headers that stand once: of two, each reader on the way might take another. */
const SINGLE = ['host', 'authorization']

function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === name) count++
  return count > 1
}

function headersFor(error: ApiError, help: Help, body: string): Record<string, string> {
  const length = String(Buffer.byteLength(body))
  return { ...headersOf(error, help), 'Content-Length': length, Connection: 'close' }
}

function refuse(response: ServerResponse, error: ApiError, help: Help): void {
  const body = bodyOf(error)
  response.writeHead(error.status, headersFor(error, help, body)).end(body)
}

function refuseSocket(socket: Duplex, error: ApiError, help: Help): void {
  const body = bodyOf(error)
  const headers = headersFor(error, help, body)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`
  sayLast(socket, `${[status, ...lines].join('\r\n')}\r\n\r\n${body}`)
}
