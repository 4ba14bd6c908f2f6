import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How a proxy answers a CONNECT. */
export type ConnectScript = (client: Duplex, pass: () => void) => void

/** An HTTP proxy as companies have them. */
export interface ConnectProxy {
  readonly port: number
  /** What it was asked for: the authority and the headers. */
  readonly asked: readonly { readonly authority: string; readonly headers: IncomingHttpHeaders }[]
  /** Everything that clients sent through it. */
  readonly carried: string
  /** Connections of clients that are open. */
  readonly open: ReadonlySet<Socket>
  answer(script: ConnectScript): void
  close(): Promise<void>
}

/** Starts a proxy on loopback that takes every name for one port of this machine. */
export async function startConnectProxy(port: number): Promise<ConnectProxy> {
  const asked: { authority: string; headers: IncomingHttpHeaders }[] = []
  const open = new Set<Socket>()
  let carried = ''
  let script: ConnectScript = (_, pass) => pass()
  const server = createServer((_, response) => void response.writeHead(400).end())
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('connect', (request, client: Duplex) => {
    asked.push({ authority: request.url ?? '', headers: request.headers })
    client.on('error', () => {})
    script(client, () => {
      const endpoint = connect(port, '127.0.0.1')
      endpoint.on('error', () => client.destroy()).on('close', () => client.destroy())
      client.on('close', () => endpoint.destroy())
      client.on('data', (bytes: Buffer) => {
        carried += bytes.toString('latin1')
      })
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(endpoint).pipe(client)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    open,
    get carried() {
      return carried
    },
    answer(next) {
      script = next
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
