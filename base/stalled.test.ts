import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { dropStalled } from './stalled.ts'

/** Of a large write the kernel takes some megabytes at a time. */
const STALLED_MS = 500
/** More than the buffers of two sockets hold. */
const MUCH = Buffer.alloc(32_000_000)

/** A client that reads nothing of its own accord; the response, once the server has it. */
async function ask(answer: (response: ServerResponse) => unknown) {
  const told = Promise.withResolvers<ServerResponse>()
  const server = createServer((_, response) => {
    told.resolve(response)
    answer(response)
  })
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).pause()
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  return { socket, response: await told.promise }
}

test.each([
  ['in one write', (response: ServerResponse) => response.end(MUCH)],
  ['of which more would come', (response: ServerResponse) => response.write(MUCH)],
])('a client that takes nothing of an answer %s is dropped', async (_, write) => {
  const { response } = await ask((response) => {
    dropStalled(response, STALLED_MS)
    write(response)
  })
  await once(response, 'close')
  expect(response.writableFinished).toBe(false)
})

test('one that reads slowly has all of it', async () => {
  const { socket, response } = await ask((response) => {
    dropStalled(response, STALLED_MS)
    response.end(MUCH)
  })
  const begunMs = performance.now()
  const ended = once(response, 'close')
  let read = 0
  const reading = setInterval(() => socket.resume(), 10)
  onTestFinished(() => clearInterval(reading))
  socket.on('data', (bytes) => {
    read += bytes.length
    socket.pause()
  })
  await ended
  expect(performance.now() - begunMs).toBeGreaterThan(2 * STALLED_MS)
  expect(response.writableFinished).toBe(true)
  await expect.poll(() => read, { timeout: 10_000 }).toBeGreaterThanOrEqual(MUCH.length)
})

test('one that waits for an answer which takes longer to make has it', async () => {
  const { socket } = await ask(async (response) => {
    dropStalled(response, STALLED_MS)
    await once(response, 'timeout')
    response.end('late')
  })
  const [bytes] = await once(socket.setEncoding('latin1').resume(), 'data')
  expect(bytes).toContain('late')
})
