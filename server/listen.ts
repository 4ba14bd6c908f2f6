import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ListenError } from '../config/listening.ts'
import type { Listen } from './config/router.ts'

/**
 * Connections that may wait to be taken (ours), as far as the system lets it. Linux has the clients of those beyond it
 * believe that they are connected, and forgets what they send for seconds.
 */
const BACKLOG = 4_096

/**
 * Starts to listen and gives the port, which is chosen when 0 is asked for. Rejects with `ListenError`, which names
 * `setting`.
 */
export async function listen(server: Server, { host, port }: Listen, setting = 'listen'): Promise<number> {
  server.listen({ port, host, backlog: BACKLOG })
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new ListenError(cause, { host, port }, setting)
  }
  return (server.address() as AddressInfo).port
}
