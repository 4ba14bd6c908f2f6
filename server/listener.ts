import { once } from 'node:events'
import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Listen } from './config/router.ts'
import { ApiError } from './errors.ts'

/** Load balancers keep idle sockets for 60 s; closing ours earlier makes them answer 502 (T-04; ours). */
const KEEP_ALIVE_MS = 75_000

/** How long a client may take over its headers (ours). */
const HEADERS_TIMEOUT_MS = 30_000

type FetchCallback = Parameters<typeof getRequestListener>[0]

/** Creates the server around the application. What is not HTTP, or names no host, gets the contract's error too. */
export function createListener(fetch: FetchCallback): Server {
  const answer = getRequestListener(fetch, {
    overrideGlobalObjects: false,
    autoCleanupIncoming: false,
    errorHandler: () => {
      const refusal = malformed()
      return Response.json(refusal.toBody(), { status: refusal.status })
    },
  })
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_TIMEOUT_MS },
    (request, response) => {
      void answer(request, response)
    },
  )
  // A generation may take an hour; what it sends is timed by the relay.
  server.requestTimeout = 0
  server.on('clientError', refuseMalformed)
  return server
}

/** Starts to listen and tells the port, which is chosen when 0 is asked for. */
export async function listen(server: Server, { host, port }: Listen): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new Error(
      `Cannot listen on ${host}:${port} (${(cause as NodeJS.ErrnoException).code}). See listen in the configuration.`,
      { cause },
    )
  }
  return (server.address() as AddressInfo).port
}

function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = malformed()
  const body = JSON.stringify(refusal.toBody())
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function malformed(): ApiError {
  return new ApiError('unsupported_parameter', 'This is not a well-formed HTTP/1.1 request.')
}
