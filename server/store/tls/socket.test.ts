import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { takeTlsParameters } from './parameters.ts'
import { createSocketSource, type SocketSource } from './socket.ts'

const { tls } = takeTlsParameters('postgres://router@127.0.0.1/router?sslmode=disable')
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A server that says nothing; resolves its port, and its connections as they come. */
async function listen(): Promise<{ port: number; accepted: Socket[] }> {
  const accepted: Socket[] = []
  const server = createServer((socket) => accepted.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, accepted }
}

const open = (source: SocketSource, ...port: number[]) =>
  source.open({ host: port.map(() => '127.0.0.1'), port, path: false, user: 'router', database: 'router' })

test('a socket takes whatever is written to it, and says nothing when it has room again', async () => {
  const { port, accepted } = await listen()
  const socket = await open(createSocketSource(tls, 3_000), port)
  const told = vi.fn()
  socket.on('drain', told)
  await vi.waitUntil(() => accepted.length === 1)
  const bytes = 16 * 1024 * 1024
  expect(socket.write(Buffer.alloc(bytes))).toBe(true)
  expect(socket.write(Buffer.alloc(1))).toBe(true)
  let seen = 0
  accepted[0]!.on('data', (piece: Buffer) => {
    seen += piece.length
  })
  await vi.waitUntil(() => seen === bytes + 1 && socket.writableLength === 0)
  expect(told).not.toHaveBeenCalled()
  socket.destroy()
})

test('what is dialled as the pool ends is closed', async () => {
  const { port, accepted } = await listen()
  const source = createSocketSource(tls, 3_000)
  const opening = open(source, port)
  source.end()
  const socket = await opening
  const failed = once(socket, 'error')
  socket.write('startup')
  await failed
  await sleep(20)
  expect(accepted.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded)).toHaveLength(0)
})

test('of several servers the first that answers is asked again, until it does no more', async () => {
  const [first, second] = [await listen(), await listen()]
  servers[0]!.close()
  const source = createSocketSource(tls, 3_000)
  const failing = await open(source, first.port, second.port)
  failing.on('error', () => {}).write('startup')
  const sockets = [await open(source, first.port, second.port), await open(source, first.port, second.port)]
  await vi.waitUntil(() => second.accepted.length === 2)
  for (const socket of sockets) socket.destroy()
})

test('a server whose connection the driver has no use for is left for the next', async () => {
  const [first, second] = [await listen(), await listen()]
  const source = createSocketSource(tls, 3_000)
  const refused = await open(source, first.port, second.port)
  refused.destroy()
  await once(refused, 'close')
  const socket = await open(source, first.port, second.port)
  await vi.waitUntil(() => second.accepted.length === 1)
  expect(first.accepted).toHaveLength(1)
  socket.destroy()
})
