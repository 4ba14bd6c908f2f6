import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import type { Books } from './books.ts'

/** Of the answer's head: the rest is each connection's own. */
const PASSED = ['content-type', 'content-length']

/** Forwards every request to the model, until the process is told to end; with books, each is written down as well. */
export function serve(backendUrl: string, books?: Books): void {
  const backend = new URL(backendUrl)
  const pool = new Pool(backend.origin, { connections: null, pipelining: 1 })

  const server = createServer((request, response) => {
    if (books === undefined) forward(request, response)
    else void forwardBooked(request, response, books)
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    console.log(JSON.stringify({ address: `http://127.0.0.1:${port}/v1` }))
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
    const headers = {
      'content-type': 'application/json',
      'content-length': request.headers['content-length']!,
    }
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
