import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BACKLOG } from '#base/backlog.ts'
import { type Listening, listenWidely } from '#base/listening.ts'
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

/**
 * Starts to listen for clients, who may come by hundreds at once (LIM-51). The other listeners have one socket each:
 * nobody comes to them in such numbers, and those who do come wait for nobody here. Rejects with `ListenError`.
 */
export async function listenForClients(server: Server, { host, port }: Listen): Promise<Listening> {
  try {
    return await listenWidely(server, { host, port })
  } catch (cause) {
    throw new ListenError(cause, { host, port }, 'listen')
  }
}
