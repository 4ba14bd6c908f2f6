import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net'
import { BACKLOG } from './backlog.ts'

/** A server that listens. */
export interface Listening {
  readonly server: HttpServer
  /** The one that was asked for, or that was chosen when 0 was. */
  readonly port: number
  /** Takes no new connections from this moment on; resolves when none is left. */
  close(): Promise<void>
}

/** An address of this machine. Port 0 takes a free one. */
interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Sockets of one port (ours). Node takes one connection of each at a turn of its loop: who comes behind three hundred waits
 * for some twenty turns. With many more a flood of connections would have the turns of those that are served.
 */
const SOCKETS = 16

/** Connections that may wait at each of several (ours): the system deals them out by chance, and never evenly. */
const BACKLOG_OF_EACH = (2 * BACKLOG) / SOCKETS

/** What `http.Server` has its own connections be. */
const CONNECTIONS = { allowHalfOpen: true, noDelay: true }

/**
 * Starts to listen, on Linux with several sockets, whose connections all are the server's. They are closed by `close`
 * and not by `server.close()`, and `server.getConnections` counts some of them alone. Rejects as `listen` of the server
 * fails: with `EADDRINUSE` where anybody else listens, and be it another one of these.
 */
export async function listenWidely(server: HttpServer, { host, port }: Address): Promise<Listening> {
  const isShared = process.platform === 'linux' && (await listensShared(server, { host, port }))
  if (!isShared) await begin(server, { host, port, backlog: BACKLOG })
  const others = isShared ? await openOthers(server) : []
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close: () => closeAll([server, ...others]),
  }
}

/** Opens the further sockets of a server that listens; where one of them fails, none of all listens. */
async function openOthers(server: HttpServer): Promise<readonly Server[]> {
  const { address: host, port } = server.address() as AddressInfo
  const take = (socket: unknown) => void server.emit('connection', socket)
  const others = Array.from({ length: SOCKETS - 1 }, () => createServer(CONNECTIONS, take))
  const begun = await Promise.allSettled(others.map((other) => begin(other, sharing({ host, port }))))
  const failed = begun.find((one) => one.status === 'rejected')
  if (failed !== undefined) {
    for (const one of [server, ...others]) one.close()
    throw failed.reason
  }
  for (const other of others) other.on('error', (error) => server.emit('error', error))
  return others
}

/** Listens so that others may join; false where that is not possible, which the usual way tells the reason of. */
async function listensShared(server: Server, address: Address): Promise<boolean> {
  try {
    await share(server, address)
    return true
  } catch {
    return false
  }
}

/**
 * Sockets that share a port share it with those of any program of this user that says so as well. So it is taken for
 * this one alone first, which fails beside any other. Of several that start at once one has the lock, from before it
 * looks until its socket is there; the others listen alone, which works for one of them all at most. What is left: a
 * program of another kind that shares a port which it finds in use, and a port that the system chooses for one in the
 * moment between another's look and its socket.
 */
async function share(server: Server, { host, port }: Address): Promise<void> {
  // The system chooses one that nobody has, not even to share it.
  if (port === 0) return await begin(server, sharing({ host, port }))
  // Such a name is no file: it goes with its process, and is known as far as the port is (network namespace).
  const lock = createRefusing()
  await begin(lock, { path: `\0confidential-inference-router/port/${port}` })
  try {
    const alone = createRefusing()
    await begin(alone, { host, port })
    const { address } = alone.address() as AddressInfo
    alone.close()
    await begin(server, sharing({ host: address, port }))
  } finally {
    lock.close()
  }
}

function sharing(address: Address): ListenOptions {
  return { ...address, backlog: BACKLOG_OF_EACH, reusePort: true }
}

/** Whoever connects in its short life is hung up on; a moment before, the system would have refused the connection. */
function createRefusing(): Server {
  return createServer((socket) => socket.destroy())
}

async function begin(server: Server, options: ListenOptions): Promise<void> {
  server.listen(options)
  await once(server, 'listening')
}

/**
 * Has servers take no new connections; resolves when none is left. All in one turn: what were closed later would be given
 * connections meanwhile, and lose them.
 */
async function closeAll(servers: readonly Server[]): Promise<void> {
  const closed = servers.map((server) => once(server, 'close'))
  for (const server of servers) server.close()
  await Promise.all(closed)
}
