import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { Digest } from '#attestation'
import type { Identity } from './identity.ts'

/** One TLS connection as the gateway saw it. */
export interface Connection {
  /** The certificate that it was shown. */
  readonly leaf: Digest
  readonly isResumed: boolean
  readonly socket: TLSSocket
  /** What came over it, decrypted. */
  text: string
}

/** A gateway that terminates TLS and does what it is told; it keeps what it receives. */
export interface Gateway {
  readonly port: number
  /** TCP connections that are open. */
  readonly open: ReadonlySet<Socket>
  /** TCP connections that were ever opened. */
  readonly accepted: number
  readonly connections: readonly Connection[]
  readonly requests: readonly IncomingMessage[]
  /** Shows another certificate on every new connection. */
  rotate(identity: Identity): void
  answer(script: RequestListener): void
  close(): Promise<void>
}

/** Starts a gateway on loopback. */
export async function startGateway(identity: Identity, script: RequestListener): Promise<Gateway> {
  const connections: Connection[] = []
  const requests: IncomingMessage[] = []
  let shown = identity
  let answer = script
  const http = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    requests.push(request)
    answer(request, response)
  })
  // Tickets stay good when the certificate changes, as they do where several gateways share their keys.
  const ticketKeys = randomBytes(48)
  const contextOf = ({ pem }: Identity) =>
    ({ key: pem, cert: pem, minVersion: 'TLSv1.3', ticketKeys }) as const
  const server = createTlsServer(contextOf(identity))
  const sockets = new Set<Socket>()
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('secureConnection', (socket) => {
    const connection = { leaf: shown.fingerprint, isResumed: socket.isSessionReused(), socket, text: '' }
    connections.push(connection)
    socket.on('error', () => {})
    http.emit('connection', socket)
    socket.on('data', (bytes: Buffer) => {
      connection.text += bytes.toString('latin1')
    })
  })
  // A client that leaves in the middle of a handshake is part of the play.
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    requests,
    open: sockets,
    get accepted() {
      return accepted
    },
    rotate(next) {
      shown = next
      server.setSecureContext(contextOf(next))
    },
    answer(next) {
      answer = next
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
