import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

/** The floor of everything that stands on Node: a request goes on, its answer comes back, and nothing else is done. */
const backend = new URL(process.argv[2]!)
const pool = new Pool(backend.origin, { connections: null, pipelining: 1 })

/** Of the answer's head: the rest is each connection's own. */
const PASSED = ['content-type', 'content-length']

const server = createServer((request, response) => forward(request, response))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ address: `http://127.0.0.1:${port}/v1` }))
})
process.on('SIGTERM', () => process.exit())
if (process.argv.includes('--with-parent')) process.stdin.on('end', () => process.exit()).resume()

function forward(request: IncomingMessage, response: ServerResponse): void {
  const path = `${backend.pathname}${request.url!.slice('/v1'.length)}`
  const headers = { 'content-type': 'application/json', 'content-length': request.headers['content-length']! }
  let leave: () => void = () => {}
  response.once('close', () => response.writableFinished || leave())
  pool.dispatch(
    { method: 'POST', path, headers, body: request },
    {
      onRequestStart(controller) {
        leave = () => controller.abort(new Error('The client has left.'))
        response.on('drain', () => controller.resume())
      },
      onResponseStart(_, statusCode, head) {
        for (const name of PASSED) if (head[name] !== undefined) response.setHeader(name, head[name])
        response.writeHead(statusCode)
      },
      onResponseData(controller, bytes) {
        if (!response.write(bytes)) controller.pause()
      },
      onResponseEnd() {
        response.end()
      },
      onResponseError() {
        if (response.headersSent) response.destroy()
        else response.writeHead(502).end()
      },
    },
  )
}
