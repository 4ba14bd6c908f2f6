import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createForwarder } from './forward.ts'

const IDLE_MS = 50

async function listening(server: Server): Promise<URL> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

test('A connection on which nothing happens is closed by the gateway, and one that is used is not', async () => {
  const router = createServer(async (incoming, response) => {
    if (incoming.url === '/slow') await sleep(4 * IDLE_MS)
    response.end(incoming.url)
  })
  const connections: Promise<unknown>[] = []
  router.on('connection', (socket: Socket) => connections.push(once(socket, 'close')))
  const log = { info() {}, warn() {}, error() {} }
  const forwarder = createForwarder(await listening(router), log, IDLE_MS)
  onTestFinished(() => forwarder.close())
  const gateway = await listening(createServer(forwarder.forward))
  const ask = async (path: string): Promise<string> => {
    const [answer] = await once(request(new URL(path, gateway)).end(), 'response')
    return await text(answer)
  }
  expect(await ask('/quick')).toBe('/quick')
  expect(await ask('/slow')).toBe('/slow')
  await Promise.all(connections)
  expect(await ask('/again')).toBe('/again')
})
