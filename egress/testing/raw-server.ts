import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import type { Identity } from './identity.ts'

/** What is done with one connection: it is handed over as the handshake ends; `reset` breaks it off without a word. */
export type RawScript = (socket: TLSSocket, reset: () => void) => void

/** A TLS server that says what it is told, HTTP or not. */
export interface RawServer {
  readonly port: number
  /** TLS connections so far. */
  readonly accepted: number
  play(script: RawScript): void
  close(): Promise<void>
}

/** Starts one on loopback. */
export async function startRawServer(identity: Identity, first: RawScript): Promise<RawServer> {
  const carriers = new Map<number | undefined, Socket>()
  let [script, accepted] = [first, 0]
  const options = {
    key: identity.pem,
    cert: identity.pem,
    minVersion: 'TLSv1.3',
    allowHalfOpen: true,
  } as const
  const server = createTlsServer(options, (socket) => {
    accepted += 1
    socket.on('error', () => {})
    script(socket, () => carriers.get(socket.remotePort)?.resetAndDestroy())
  })
  server.on('connection', (carrier: Socket) => {
    const { remotePort } = carrier
    carriers.set(
      remotePort,
      carrier.once('close', () => carriers.delete(remotePort)),
    )
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return accepted
    },
    play(next) {
      script = next
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const carrier of carriers.values()) carrier.destroy()
      await closed
    },
  }
}

/** A script that reads the request and answers with these bytes; then it ends its side, unless told otherwise. */
export function answering(text: string, { isEnding = true } = {}): RawScript {
  return (socket) => {
    socket.once('data', () => {
      socket.write(text)
      if (isEnding) socket.end()
    })
  }
}
