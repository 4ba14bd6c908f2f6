import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Discards } from './discard.ts'

const MIB = 1_048_576

/** A server that throws away what it is sent; gives a way to send it a body, which resolves when that has been read. */
async function discarding(discards: Discards, maxBytes: number) {
  const server = createServer((incoming, response) => {
    discards.add(incoming, maxBytes)
    response.writeHead(413).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return async (bytes: number): Promise<'read' | 'cut'> => {
    const sent = once(server, 'request') as Promise<[IncomingMessage]>
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`)
    socket.write(Buffer.alloc(bytes, 'x'))
    const [incoming] = await sent
    return await new Promise((resolve) => {
      incoming.once('end', () => resolve('read'))
      incoming.once('close', () => resolve('cut'))
    })
  }
}

test('what is thrown away of several bodies comes no faster than one budget allows, and all of it is read', async () => {
  const send = await discarding(new Discards(4 * MIB), MIB)
  const begun = performance.now()
  const read: string[] = []
  const bodies = []
  for (let count = 0; count < 4; count++) bodies.push(send(MIB).then((end) => void read.push(end)))
  await Promise.all(bodies)
  expect(read).toEqual(['read', 'read', 'read', 'read'])
  // What the budget holds at first, and what a read brings beyond it, comes at once.
  expect(performance.now() - begun).toBeGreaterThan(500)
})

test('a body that goes on for too long is cut off', async () => {
  const send = await discarding(new Discards(1_024 * MIB), 1)
  expect(await send(8 * MIB)).toBe('read')
  expect(await send(9 * MIB)).toBe('cut')
})
