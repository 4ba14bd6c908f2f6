import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP address that leads wherever a test says: the network between a verifier and its endpoint. */
export interface Switch {
  readonly port: number
  /** Where new connections lead; those that are open stay where they are. */
  leadTo(port: number): void
  /** Has new connections wait; calling the result lets them through. */
  hold(): () => void
  /** Destroys every open connection; new ones are taken. */
  drop(): void
  close(): Promise<void>
}

/** Starts a switch on loopback. */
export async function startSwitch(port: number): Promise<Switch> {
  let target = port
  const sockets = new Set<Socket>()
  let gate = Promise.resolve()
  const server = createServer((near) => void gate.then(() => join(near)))

  function join(near: Socket): void {
    const far = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket
        .on('error', () => other.destroy())
        .on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
      socket.pipe(other)
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(next) {
      target = next
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
    drop() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
