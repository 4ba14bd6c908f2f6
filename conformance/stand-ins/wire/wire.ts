import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createTap, type Tap } from './tap.ts'

/** Where a wire leads. */
export interface WireEnd {
  readonly host: string
  readonly port: number
}

/** What a wire tells of itself. */
export interface WireState {
  readonly isCut: boolean
  /** Connections that were made so far. */
  readonly connections: number
  /** Connections that wait for their other side. */
  readonly held: number
}

/** TCP between two parts of a deployment, which can be cut, held and listened to. */
export interface Wire {
  readonly port: number
  readonly tap: Tap
  readonly state: WireState
  /** Ends what runs and refuses what comes. */
  cut(): Promise<void>
  /** Ends what runs; what comes is served. */
  drop(): void
  /** The next connections are taken and wait for their other side; as many as told, or all. */
  hold(count: number): void
  /** What comes is led to another port of this machine, as by somebody on the way. */
  lead(port: number): void
  /** Serves everything again, what was held among it, from where it should. */
  mend(): Promise<void>
  close(): Promise<void>
}

/** Lays a wire on a port, or on a free one; `end` is asked at each connection, so that the far side may start later. */
export async function createWire(end: () => WireEnd, at = 0): Promise<Wire> {
  const sockets = new Set<Socket>()
  const held = new Set<Socket>()
  const tap = createTap()
  let toHold = 0
  let elsewhere: WireEnd | undefined
  let connections = 0

  const server = createServer({ pauseOnConnect: true }, (near) => {
    connections += 1
    keep(near)
    if (toHold > 0) {
      toHold -= 1
      held.add(near)
    } else join(near)
  })

  function keep(socket: Socket): void {
    sockets.add(socket)
    // What breaks on one side ends the other.
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      held.delete(socket)
    })
  }

  function join(near: Socket): void {
    const far = connect(elsewhere ?? end())
    keep(far)
    tap.listen(near, far)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.resume()
  }

  function drop(): void {
    for (const socket of sockets) socket.resetAndDestroy()
  }

  async function listen(port: number): Promise<number> {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  /** Another address with the same port keeps the system from giving it to a connection that goes out meanwhile. */
  const placeholder = createServer()
  placeholder.on('error', () => {})

  async function close(): Promise<void> {
    drop()
    placeholder.close()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }

  async function cut(): Promise<void> {
    if (!server.listening) return
    // Where there is no such address, the port may be lost, as it always might have been.
    placeholder.listen(port, '127.0.0.2')
    await once(placeholder, 'listening').catch(() => {})
    drop()
    server.close()
    await once(server, 'close')
  }

  const port = await listen(at)
  return {
    port,
    tap,
    get state() {
      return { isCut: !server.listening, connections, held: held.size }
    },
    cut,
    drop,
    hold(count) {
      toHold = count
    },
    lead(port) {
      elsewhere = { host: '127.0.0.1', port }
    },
    async mend() {
      toHold = 0
      elsewhere = undefined
      for (const near of held) join(near)
      held.clear()
      if (!server.listening) await listen(port)
      placeholder.close()
    },
    close,
  }
}
