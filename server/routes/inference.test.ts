import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBodyMemory } from '../bodies/body-memory.ts'
import { Overload } from '../overload/overload.ts'
import { type InferenceDependencies, serveInference } from './inference.ts'

const KEY = `sk-tee-v1-${'A'.repeat(43)}`

/** A router that knows no key, and tells whatever it throws by a 401. */
async function start(): Promise<number> {
  const memory = createBodyMemory(1_000_000, 100_000)
  const edition = {
    memory,
    config: { limits: { maxBodyBytes: 100_000 } },
    hasFreeModels: false,
    catalogue: {},
  }
  const visit = { enter: () => edition, leave() {} }
  const handler = serveInference('chat', {
    editions: { current: edition, visit: () => visit },
    findKey: vi.fn(async () => undefined),
    meter: { ownerOf: () => undefined },
    overload: new Overload({ most: () => 10 }),
    sourceAddressOf: () => '127.0.0.1',
  } as unknown as InferenceDependencies)
  const server = createServer()
  const serve: Parameters<typeof createServer>[1] = (incoming, response) => {
    const raw = { incoming, response, headers: {}, path: {}, startedAtMs: 0, trace: { requestId: 'r' } }
    handler(raw).catch(({ code }) => response.writeHead(401).end(code))
  }
  server.on('request', serve).on('checkContinue', serve).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test.each([
  ['1.1', ['100 Continue', '401 Unauthorized']],
  ['1.0', ['401 Unauthorized']],
])(
  'a client of HTTP/%s that waits to be asked for its body is told to go on only where it knows of that',
  async (version, statuses) => {
    const socket = connect(await start(), '127.0.0.1')
    const head = `POST / HTTP/${version}\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\nconnection: close\r\n`
    socket.end(`${head}content-length: 1\r\nexpect: 100-continue\r\n\r\n{`)
    const answer = await text(socket)
    expect([...answer.matchAll(/^HTTP\/1\.1 (.+)\r$/gm)].map(([, status]) => status)).toEqual(statuses)
    expect(answer).toContain('invalid_api_key')
  },
)
