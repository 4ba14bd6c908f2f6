import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stand-ins serve this machine only. */
export const LOOPBACK = '127.0.0.1'

/** Starts a listener on loopback; port 0 takes any that is free. Resolves with the port. */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen({ port, host: LOOPBACK, backlog: 4_096 })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Stops a listener and, if wanted, every connection it has. */
export async function stop(
  server: Server,
  { connections }: { readonly connections: 'all' | 'idle' },
): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  if (connections === 'idle') return server.closeIdleConnections()
  server.closeAllConnections()
  await closed
}
