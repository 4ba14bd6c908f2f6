import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BACKLOG } from '#base/backlog.ts'
import { ListenError } from '../config/listening.ts'
import type { Listen } from './config/router.ts'

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
