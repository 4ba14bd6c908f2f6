import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What a name does when it moves: new connections go elsewhere, those that are open stay. */
export interface Switch {
  readonly port: number
  /** Sends new connections to this port of this machine. */
  to(port: number): void
  close(): Promise<void>
}

/** Starts a switch on loopback. */
export async function startSwitch(port: number): Promise<Switch> {
  let destination = port
  const sockets = new Set<Socket>()
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.setNoDelay(true).on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
  }
  const server = createServer({ allowHalfOpen: false }, (client) => {
    const gateway = connect(destination, '127.0.0.1')
    track(client)
    track(gateway)
    client.on('close', () => gateway.destroy())
    gateway.on('close', () => client.destroy())
    client.pipe(gateway).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    to(next) {
      destination = next
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
