import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { afterEach, expect, test, vi } from 'vitest'
import { createIdentity } from '#egress/testing/identity.ts'
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

const wanted = (...port: number[]) => ({
  host: port.map(() => '127.0.0.1'),
  port,
  path: false as const,
  user: 'router',
  database: 'router',
})

const open = (source: SocketSource, ...ports: number[]) =>
  source(wanted(...ports), new AbortController().signal)

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

test('a socket with TLS takes whatever is written to it as well', async () => {
  const { pem } = createIdentity()
  const server = createTlsServer({ key: pem, cert: pem, ALPNProtocols: ['postgresql'] }, (one) =>
    one.resume(),
  ).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const direct = 'postgres://router@127.0.0.1/router?sslmode=require&sslnegotiation=direct'
  const source = createSocketSource(takeTlsParameters(direct).tls, 3_000)
  const socket = await open(source, (server.address() as AddressInfo).port)
  expect(socket).toBeInstanceOf(TLSSocket)
  const told = vi.fn()
  socket.on('drain', told)
  expect(socket.write(Buffer.alloc(16 * 1024 * 1024))).toBe(true)
  await vi.waitUntil(() => socket.writableLength === 0)
  expect(told).not.toHaveBeenCalled()
  socket.destroy()
})

test('what is dialled as its pool is destroyed is closed, and given to nobody', async () => {
  const { port, accepted } = await listen()
  const gone = new AbortController()
  const given = vi.fn()
  void createSocketSource(tls, 3_000)(wanted(port), gone.signal).then(given)
  gone.abort()
  await vi.waitUntil(() => accepted[0]?.resume().destroyed)
  expect(given).not.toHaveBeenCalled()
})

test('each of several servers is asked in its turn, whatever became of the one before', async () => {
  const [silent, gone, useful] = [await listen(), await listen(), await listen()]
  servers[1]!.close()
  const source = createSocketSource(tls, 3_000)
  for (let turn = 0; turn < 2; turn += 1) {
    for (let place = 0; place < 3; place += 1) {
      const socket = await open(source, silent.port, gone.port, useful.port)
      socket.on('error', () => {}).write('startup')
    }
  }
  await vi.waitUntil(() => useful.accepted.length === 2)
  expect(silent.accepted).toHaveLength(2)
  for (const socket of [...silent.accepted, ...useful.accepted]) socket.destroy()
})
