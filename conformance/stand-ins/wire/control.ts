import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Insertion } from './tap.ts'
import type { Wire } from './wire.ts'

/** The control address of some wires. */
export interface WireControl {
  /** Of one wire: what a target file names. */
  urlOf(name: string): string
  close(): Promise<void>
}

// A client that a busy machine delays may come back to a pooled socket later than Node's five seconds.
const KEEP_ALIVE_MS = 75_000

/** Serves the control address on loopback; see README.md beside this file. */
export async function startWireControl(wires: Readonly<Record<string, Wire>>): Promise<WireControl> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, response) => {
    answer(wires, incoming).then(
      (found) => send(found === undefined ? 404 : 200, found ?? { error: 'There is no such thing here.' }),
      (error: Error) => send(400, { error: error.message }),
    )
    function send(status: number, value: object): void {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(
  wires: Readonly<Record<string, Wire>>,
  incoming: IncomingMessage,
): Promise<object | undefined> {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://wires')
  const [, name = '', act = ''] = pathname.split('/')
  const wire = wires[name]
  if (wire === undefined) return undefined
  const body = await text(incoming)
  const told: unknown = body === '' ? {} : JSON.parse(body)
  switch (`${incoming.method} ${act}`) {
    case 'POST cut':
      await wire.cut()
      return wire.state
    case 'POST drop':
      wire.drop()
      return wire.state
    case 'POST hold':
      wire.hold((told as { readonly count?: number }).count ?? Number.POSITIVE_INFINITY)
      return wire.state
    case 'POST lead':
      wire.lead((told as { readonly port: number }).port)
      return wire.state
    case 'POST mend':
      await wire.mend()
      return wire.state
    case 'POST insert':
      wire.tap.insert(told as Insertion)
      return wire.state
    case 'GET state':
      return wire.state
    case 'GET heads':
      return { heads: wire.tap.heads(searchParams.get('contains') ?? '') }
    case 'GET beginnings':
      return { beginnings: wire.tap.beginnings.map((bytes) => bytes.toString('base64')) }
    default:
      return undefined
  }
}
