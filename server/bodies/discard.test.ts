import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Discards } from './discard.ts'

const MIB = 1_048_576

/** A server that refuses whatever it is asked, unread; gives its port. */
async function startRefusing(discards: Discards): Promise<number> {
  const server = createServer((incoming, response) => {
    discards.follow(incoming, response)
    response.writeHead(401).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The same; gives a way to send it a body. */
async function refusing(discards: Discards) {
  const port = await startRefusing(discards)
  /** Resolves when the answer to another request came on the same connection, or when that was cut. */
  async function send(bytes: number): Promise<'read' | 'cut'> {
    const socket = connect(port, '127.0.0.1')
    const closed = new Promise<'cut'>((resolve) => {
      socket.on('error', () => {})
      socket.once('close', () => resolve('cut'))
    })
    onTestFinished(() => void socket.destroy())
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`)
    const answered = () => new Promise<'read'>((resolve) => socket.once('data', () => resolve('read')))
    await Promise.race([answered(), closed])
    socket.write(Buffer.alloc(bytes, 'x'))
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    return await Promise.race([answered(), closed])
  }
  return send
}

test('what is left of several bodies comes no faster than one budget allows, and all of it is read', async () => {
  const send = await refusing(new Discards(4 * MIB))
  const begun = performance.now()
  const ends = [send(MIB), send(MIB), send(MIB), send(MIB)]
  expect(await Promise.all(ends)).toEqual(['read', 'read', 'read', 'read'])
  // What the budget holds at first, and what a read brings beyond it, comes at once.
  expect(performance.now() - begun).toBeGreaterThan(500)
})

test('a body that goes on for too long is cut off', async () => {
  const send = await refusing(new Discards(1_024 * MIB, 8 * MIB))
  expect(await send(7 * MIB)).toBe('read')
  expect(await send(9 * MIB)).toBe('cut')
})

test.each([
  ['pieces of one byte', '1\r\nx\r\n', 30_000],
  ['pieces that say more of themselves than they have', `1;${'x'.repeat(16_000)}\r\nx\r\n`, 250],
])('%s come no faster than one budget allows', async (_, piece, count) => {
  const socket = connect(await startRefusing(new Discards(4 * MIB)), '127.0.0.1')
  const closed = once(socket, 'close')
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
  await once(socket, 'data')
  const begun = performance.now()
  socket.resume().write(`${piece.repeat(count)}0\r\n\r\n`)
  // Answered when all before it was read.
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await closed
  expect(performance.now() - begun).toBeGreaterThan(500)
})
