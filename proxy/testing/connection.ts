import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'

/** Both ends of a connection. */
export interface Connection {
  readonly socket: Socket
  /** The server's own end. */
  readonly reader: Socket
}

/** Opens a connection to a server of this process. */
export async function openConnection(port: number): Promise<Connection> {
  const accepted = Promise.withResolvers<Socket>()
  const take = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket }
    if (socket.localPort === port) accepted.resolve(socket)
  }
  subscribe('net.server.socket', take)
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const reader = await accepted.promise
  unsubscribe('net.server.socket', take)
  return { socket, reader }
}
