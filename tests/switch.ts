import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform, type TransformCallback } from 'node:stream'

/** A TCP address that leads wherever a test says: the network between a verifier and its endpoint. */
export interface Switch {
  readonly port: number
  /** Where new connections lead; those that are open stay where they are. */
  leadTo(port: number): void
  /** Has new connections wait; calling the result lets them through. */
  hold(): () => void
  /** Has whatever is sent wait, on all connections; calling the result has it arrive. */
  silence(): () => void
  /** Destroys every open connection; new ones are taken. */
  drop(): void
  close(): Promise<void>
}

/** Starts a switch on loopback. */
export async function startSwitch(port: number): Promise<Switch> {
  let target = port
  const sockets = new Set<Socket>()
  let gate = Promise.resolve()
  let quiet = Promise.resolve()
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
      socket.pipe(new Transform({ transform })).pipe(other)
    }
  }

  function transform(piece: Buffer, _encoding: string, done: TransformCallback): void {
    void quiet.then(() => done(null, piece))
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
    silence() {
      const { promise, resolve } = Promise.withResolvers<void>()
      quiet = promise
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
