import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readPieces } from './body.ts'

const MIB = 1_048_576
const SENT_BYTES = 32 * MIB

test('of a body that waits its turn nothing is read on, while another one is read whole', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())

  async function send(): Promise<IncomingMessage> {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    client.on('error', () => {})
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${SENT_BYTES}\r\n\r\n`)
    client.write(Buffer.alloc(SENT_BYTES))
    const [incoming] = (await once(server, 'request')) as [IncomingMessage]
    // More than it keeps: it has stopped reading by itself, and begins anew.
    await vi.waitFor(() => expect(incoming.readableLength).toBeGreaterThan(incoming.readableHighWaterMark))
    return incoming
  }

  const waiting = await send()
  let taken = 0
  const slow = {
    takeAtOnce: () => false,
    take(bytes: number) {
      taken += bytes
      // The second piece waits for good.
      return taken > bytes ? new Promise<boolean>(() => {}) : Promise.resolve(false)
    },
    release() {},
  }
  void readPieces(waiting, { maxBytes: SENT_BYTES, lease: slow })
  const lease = { takeAtOnce: () => true, take: async () => false, release() {} }
  await readPieces(await send(), { maxBytes: SENT_BYTES, lease })
  expect(taken).toBeGreaterThan(0)
  // What came with the pieces that were taken, and what was on its way.
  expect(waiting.socket.bytesRead).toBeLessThan(MIB)
})
