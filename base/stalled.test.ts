import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
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

function bytesOf(socket: Socket): { read: number } {
  const counted = { read: 0 }
  socket.on('data', (bytes) => {
    counted.read += bytes.length
  })
  return counted
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
  const counted = bytesOf(socket)
  socket.pause()
  const reading = setInterval(() => socket.resume().once('data', () => socket.pause()), 10)
  onTestFinished(() => clearInterval(reading))
  await sleep(4 * STALLED_MS)
  expect(response.closed).toBe(false)
  clearInterval(reading)
  socket.removeAllListeners('data')
  const rest = bytesOf(socket.resume())
  await once(response, 'close')
  expect(response.writableFinished).toBe(true)
  await expect.poll(() => counted.read + rest.read).toBeGreaterThanOrEqual(MUCH.length)
})

test('one that waits for an answer which takes longer to make has it', async () => {
  const { socket } = await ask(async (response) => {
    dropStalled(response, STALLED_MS)
    await sleep(2 * STALLED_MS)
    response.end('late')
  })
  const [bytes] = await once(socket.setEncoding('latin1').resume(), 'data')
  expect(bytes).toContain('late')
})
