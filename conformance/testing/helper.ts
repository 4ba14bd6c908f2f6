import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Does what one path asks for, at once or in time, and gives what there is to answer. */
export type Act = (request: Readonly<Record<string, unknown>>) => unknown

/** What the reference does for the suite beside what its parts offer themselves. */
export interface Helper {
  readonly url: string
  close(): Promise<void>
}

// A client that a busy machine delays may come back to a pooled socket later than Node's five seconds.
const KEEP_ALIVE_MS = 75_000

/** Serves POSTs of JSON on loopback, one act for each path. */
export async function startHelper(acts: Readonly<Record<string, Act>>): Promise<Helper> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, response) => {
    const act = acts[incoming.url ?? '']
    void text(incoming)
      .then((body) => (act ? act(body === '' ? {} : JSON.parse(body)) : Promise.reject(new Error('unknown'))))
      .then(
        (told) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told ?? {})),
        (error: Error) => response.writeHead(400).end(error.message),
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
