import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A wire that can be cut: it passes bytes on, whatever they are. */
export interface Wire {
  readonly url: string
  /** Destroys every connection; new ones work. */
  cut(): void
  close(): Promise<void>
}

/** Listens on a free port, and connects each client to the port that `to` then names. */
export async function layWire(to: () => number): Promise<Wire> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(to(), '127.0.0.1')
    tie(near, far)
    tie(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  function tie(socket: Socket, other: Socket): void {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
    socket.pipe(other)
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy()
  }

  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    async close() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
