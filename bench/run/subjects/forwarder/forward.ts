import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import type { Books } from './books.ts'

/** Of the answer's head: the rest is each connection's own. */
const PASSED = ['content-type', 'content-length']

/** What a forwarder does besides. */
export interface Besides {
  /** Where each request is written down. */
  readonly books?: Books
  /** PEM of a key with its certificate: TLS ends here. */
  readonly identity?: string
  /** PEM of the certificate that whoever stands behind shows, and the name in it. */
  readonly trusted?: { readonly pem: string; readonly hostname: string }
}

/** Forwards every request to the model, until the process is told to end. */
export function serve(backendUrl: string, { books, identity, trusted }: Besides = {}): void {
  const backend = new URL(backendUrl)
  const connect = trusted && { connect: { ca: trusted.pem, servername: trusted.hostname } }
  const pool = new Pool(backend.origin, { connections: null, pipelining: 1, ...connect })

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (books === undefined) forward(request, response)
    else void forwardBooked(request, response, books)
  }
  const server =
    identity === undefined
      ? createServer(answer)
      : createTlsServer({ key: identity, cert: identity, minVersion: 'TLSv1.3' }, answer)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    const scheme = identity === undefined ? 'http' : 'https'
    console.log(JSON.stringify({ address: `${scheme}://127.0.0.1:${port}/v1` }))
  })
  process.on('SIGTERM', () => process.exit())
  if (process.argv.includes('--with-parent')) process.stdin.on('end', () => process.exit()).resume()

  async function forwardBooked(
    request: IncomingMessage,
    response: ServerResponse,
    books: Books,
  ): Promise<void> {
    // Whoever leaves while a row is written is not there to be answered.
    response.on('error', () => {})
    const row = await books.hold()
    if (!response.destroyed) forward(request, response, () => books.settle(row))
  }

  /** Nothing that ends an answer is sent before it is settled. */
  function forward(request: IncomingMessage, response: ServerResponse, settle?: () => Promise<void>): void {
    const path = `${backend.pathname}${request.url!.slice('/v1'.length)}`
    const { authorization, 'content-length': length } = request.headers
    const headers: Record<string, string> = { 'content-type': 'application/json', 'content-length': length! }
    if (authorization !== undefined) headers.authorization = authorization
    let leave: () => void = () => {}
    let held: Buffer | undefined
    response.once('close', () => response.writableFinished || leave())
    pool.dispatch(
      { method: 'POST', path, headers, body: request },
      {
        onRequestStart(controller) {
          leave = () => controller.abort(new Error('The client has left.'))
          response.on('drain', () => controller.resume())
        },
        onResponseStart(_, statusCode, head) {
          response.statusCode = statusCode
          for (const name of PASSED) if (head[name] !== undefined) response.setHeader(name, head[name])
          if (settle === undefined || head['content-length'] === undefined) response.writeHead(statusCode)
        },
        onResponseData(controller, bytes) {
          if (settle !== undefined && !response.headersSent)
            held = held ? Buffer.concat([held, bytes]) : bytes
          else if (!response.write(bytes)) controller.pause()
        },
        onResponseEnd() {
          if (settle === undefined) response.end()
          else
            settle().then(
              () => response.end(held),
              () => response.destroy(),
            )
        },
        onResponseError() {
          if (response.headersSent) response.destroy()
          else response.writeHead(502).end()
        },
      },
    )
  }
}
