import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { BOUNDLESS, connectionClosed, DatabaseTlsError, nextChunk, offersTls, secure } from './handshake.ts'
import type { Servers } from './hosts.ts'
import type { TlsParameters } from './parameters.ts'

/** What the driver tells of a connection that it wants. */
export interface Wanted {
  readonly host: readonly string[]
  readonly port: readonly number[]
  /** Of a Unix socket: false where there is none. */
  readonly path: string | false
  readonly user: string
  readonly database: string
}

/** One of the two ways to talk to a server. */
type Way = 'plain' | 'tls'

/** Which ways a mode tries, in this order (libpq). */
const waysOf: Readonly<Record<TlsParameters['mode'], readonly Way[]>> = {
  disable: ['plain'],
  allow: ['plain', 'tls'],
  prefer: ['tls', 'plain'],
  require: ['tls'],
  'verify-ca': ['tls'],
  'verify-full': ['tls'],
}

/** Makes a socket for the driver; once the pool that asked is `gone`, none. */
export type SocketSource = (wanted: Wanted, gone: AbortSignal) => Promise<Duplex>

/**
 * Opens connections for the driver, protected as the parameters have it. The driver knows three of the six modes and
 * no root file. It also forgets a connection whose socket could not be made, so this one never fails: it gives a socket
 * that fails instead. `servers` are asked in place of those that the driver has read.
 */
export function createSocketSource(tls: TlsParameters, timeoutMs: number, servers?: Servers): SocketSource {
  const ways = waysOf[tls.mode]
  let settled: Way | undefined
  let turn = 0

  async function open(wanted: Wanted): Promise<Socket> {
    const signal = AbortSignal.timeout(timeoutMs)
    const { path } = wanted
    // No TLS on a machine's own sockets.
    if (path !== false) return await dial({ path }, signal).catch(inTime(path, signal))
    // Each of several servers in its turn: one that takes connections may be of no use all the same.
    const { host: hosts, port: ports } = servers ?? wanted
    const place = turn++ % hosts.length
    const [host, port] = [hosts[place]!, ports[place]!]
    const reach = async (way: Way) => await establish(await dial({ host, port }, signal), host, way, signal)
    try {
      return settled === undefined ? await choose(reach, wanted, signal) : await reach(settled)
    } catch (error) {
      settled = undefined
      return inTime(`${host}:${port}`, signal)(error)
    }
  }

  async function establish(socket: Socket, host: string, way: Way, signal: AbortSignal): Promise<Socket> {
    try {
      if (way === 'plain') return socket
      if (tls.isDirect || (await offersTls(socket, signal))) return await secure(socket, host, tls, signal)
      // It goes on without, on the same connection.
      if (ways.includes('plain')) return socket.resume()
      throw new DatabaseTlsError(`The database offers no TLS, and sslmode=${tls.mode} insists on it`)
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  /** Takes the first way on which the server does not turn us away, and keeps to it. */
  async function choose(reach: (way: Way) => Promise<Socket>, wanted: Wanted, signal: AbortSignal) {
    const [first, second] = ways
    if (second === undefined) return await reach(first!)
    try {
      const socket = await reach(first!)
      // A server that offers no TLS leaves no choice.
      if (first === 'tls' && !(socket instanceof TLSSocket)) return socket
      if (!(await turnsAway(socket, wanted, signal))) {
        settled = first
        return await reach(first!)
      }
    } catch (error) {
      if (!(error instanceof DatabaseTlsError)) throw error
    }
    return await reach(second)
  }

  return async (wanted, gone) => {
    const socket = await open(wanted).catch(failing)
    if (!gone.aborted) return socket.destroyed ? failing(connectionClosed()) : socket
    socket.destroy()
    // The driver does not look whether its pool was destroyed meanwhile, and would use whatever comes.
    return await new Promise<never>(() => {})
  }
}

/**
 * Fails at the first write, by when the driver listens. One that failed sooner would leave what was to be written with
 * the driver, which then never writes again on that connection.
 */
function failing(error: Error): Duplex {
  return new Duplex({
    read() {},
    write(_chunk, _encoding, callback) {
      callback(error)
    },
  })
}

/** Node's types know it of streams alone. */
const boundless = { writableHighWaterMark: BOUNDLESS }

async function dial(to: { path: string } | { host: string; port: number }, signal: AbortSignal) {
  const socket = connect({ ...to, ...boundless })
  // Whoever waits for it hears of a failure; one that comes in between must not end the process.
  socket.on('error', () => {})
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

const PROTOCOL = 196_608
const TERMINATE = Buffer.from([88, 0, 0, 0, 4])
const ERROR = 'E'

/**
 * Whether a server refuses this user on this way before it asks for anything: its `hostssl` and `hostnossl` rules say
 * so. The connection is used up by it; a server logs nothing of one that leaves when it is asked for its password.
 */
async function turnsAway(socket: Socket, { user, database }: Wanted, signal: AbortSignal): Promise<boolean> {
  const text = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + text.length, 0)
  head.writeInt32BE(PROTOCOL, 4)
  try {
    socket.write(Buffer.concat([head, text]))
    const answer = await nextChunk(socket, signal)
    return answer.toString('latin1', 0, 1) === ERROR
  } finally {
    socket.end(TERMINATE)
    socket.destroySoon()
  }
}

/** Throws what came of it, or that it came too late. */
function inTime(where: string, signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    throw signal.aborted
      ? Object.assign(new Error(`no connection to ${where} in time`), { code: 'CONNECT_TIMEOUT' })
      : error
  }
}
