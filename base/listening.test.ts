import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, createServer as createPlain, Server as PlainServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Listening, listenWidely } from './listening.ts'

const HOST = '127.0.0.1'
const isLinux = process.platform === 'linux'
const ASK = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'

async function listen(
  port = 0,
  host = HOST,
  server: Server = createServer((_, response) => void response.end('mine')),
): Promise<Listening> {
  const listening = await listenWidely(server, { host, port })
  onTestFinished(async () => {
    const closed = listening.close()
    server.closeAllConnections()
    await closed
  })
  return listening
}

function dial(port: number): Socket {
  const socket = connect(port, HOST)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Opens connections, and gives them as the server has them. */
async function open(server: Server, port: number, count: number): Promise<Socket[]> {
  const taken: Socket[] = []
  server.on('connection', (socket) => taken.push(socket))
  for (let number = 0; number < count; number++) dial(port)
  await vi.waitUntil(() => taken.length === count)
  return taken
}

/** What Node keeps of a server for its connections. */
interface Insides {
  readonly _server: Readonly<Record<string, unknown>>
}
const serverOf = (socket: Socket) => (socket as unknown as Insides)._server

test('who comes behind hundreds that came at once waits for a few turns of the event loop, not for hundreds', async () => {
  const { port } = await listen()
  let turns = 0
  let isOver = false
  // The system has them all before the first turn is over: it connects them while they are dialled.
  for (let number = 0; number < 300; number++) dial(port)
  const last = dial(port)
  last.write(ASK)
  last.once('data', () => {
    isOver = true
  })
  for (; !isOver; turns++) await nextTurn()
  expect(turns).toBeLessThan(isLinux ? 100 : 1_000)
})

test('a port on which somebody listens is refused, whoever that is', async () => {
  const wide = await listen()
  await expect(listen(wide.port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await expect(listen(wide.port, '0.0.0.0')).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const narrow = createPlain().listen(0, HOST)
  onTestFinished(() => void narrow.close())
  await once(narrow, 'listening')
  const { port } = narrow.address() as { port: number }
  await expect(listen(port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const socket = dial(wide.port)
  socket.end(ASK)
  expect(await text(socket)).toContain('mine')
})

test('of two that start at the same moment one has the port, whichever moment of the one the other begins at', async () => {
  const { port, close } = await listen()
  await close()
  for (let ticks = 0; ticks < 40; ticks++) {
    const first = listenWidely(createServer(), { host: HOST, port })
    for (let tick = 0; tick < ticks; tick++) await new Promise<void>((resolve) => process.nextTick(resolve))
    const second = listenWidely(createServer(), { host: HOST, port })
    const settled = await Promise.allSettled([first, second])
    const winners = settled.filter((one) => one.status === 'fulfilled')
    const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect({ ticks, reasons }).toEqual({ ticks, reasons: ['EADDRINUSE'] })
    await winners[0]!.value.close()
  }
})

test('a connection is the server’s own, whichever socket took it', async () => {
  const { server, port } = await listen()
  const taken = await open(server, port, 64)
  expect(new Set(taken.map(serverOf)).size > 1).toBe(isLinux)
  const names = [
    'allowHalfOpen',
    'noDelay',
    'pauseOnConnect',
    'keepAlive',
    'keepAliveInitialDelay',
    'highWaterMark',
  ]
  const own = server as unknown as Insides['_server']
  for (const socket of taken) {
    expect(socket).toMatchObject({ server, allowHalfOpen: true })
    for (const name of names) expect([name, serverOf(socket)[name]]).toEqual([name, own[name]])
  }
})

test('a close has new connections refused at once, and waits for each that is there', async () => {
  const { server, port, close } = await listen()
  const taken = await open(server, port, 64)
  let isOver = false
  const closed = close().then(() => {
    isOver = true
  })
  const late = connect(port, HOST)
  await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(server.listening).toBe(false)
  const others = taken.filter((socket) => socket !== taken[0])
  for (const socket of others) socket.destroy()
  await vi.waitUntil(() => others.every(({ closed }) => closed))
  await nextTurn()
  expect(isOver).toBe(false)
  taken[0]!.destroy()
  await closed
})

test('connections that are idle are closed as those, whichever socket took them', async () => {
  const { server, port, close } = await listen()
  const answers = Array.from({ length: 64 }, async () => {
    const socket = dial(port)
    socket.write(ASK)
    await once(socket, 'data')
  })
  await Promise.all(answers)
  const closed = close()
  server.closeIdleConnections()
  await closed
})

test('a head that comes too slowly is timed, whichever socket took its connection', async () => {
  const half = 'GET / HTTP/1.1\r\nHost'
  const { server, port } = await listen(0, HOST, createServer({ connectionsCheckingInterval: 10 }))
  const taken: Socket[] = []
  server.on('connection', (socket) => taken.push(socket))
  const answers = Array.from({ length: 64 }, () => {
    const socket = dial(port)
    socket.write(half)
    return text(socket)
  })
  await vi.waitUntil(() => taken.length === 64 && taken.every(({ bytesRead }) => bytesRead === half.length))
  server.headersTimeout = 1
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 408 /)
})

test.each([['127.0.0.1'], ['0.0.0.0'], ['localhost']])(
  'at %s the port that is asked for is had, and chosen where it is 0',
  async (host) => {
    const { port, server, close } = await listen(0, host)
    const chosen = server.address()
    await close()
    const again = await listen(port, host)
    expect(again.port).toBe(port)
    expect(again.server.address()).toEqual(chosen)
  },
)

test('while another one looks whether the port is free there is one socket, that nobody can join', async () => {
  const { port, close } = await listen()
  await close()
  const lock = createPlain().listen({ path: `\0confidential-inference-router/port/${port}` })
  onTestFinished(() => void lock.close())
  await once(lock, 'listening')
  const { server } = await listen(port)
  expect(new Set((await open(server, port, 64)).map(serverOf))).toEqual(new Set([server]))
  const joining = createPlain().listen({ host: HOST, port, reusePort: true })
  await expect(once(joining, 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test('where one socket cannot be had none is kept, and the start fails', async () => {
  const { listen: real } = PlainServer.prototype
  const spy = vi.spyOn(PlainServer.prototype, 'listen')
  onTestFinished(() => void spy.mockRestore())
  let calls = 0
  spy.mockImplementation(function (this: PlainServer, ...options: unknown[]) {
    const isFailing = ++calls === 9
    return Reflect.apply(real, this, isFailing ? [{ path: '/absent/folder/socket' }] : options)
  })
  const server = createServer()
  const failed = listenWidely(server, { host: HOST, port: 0 })
  if (!isLinux) return void expect(await failed).toMatchObject({ server })
  await expect(failed).rejects.toThrow('/absent/folder/socket')
  expect(server.listening).toBe(false)
})

test('another system has one socket', async () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
  onTestFinished(() => void vi.restoreAllMocks())
  const { server, port } = await listen()
  const taken = await open(server, port, 64)
  expect(new Set(taken.map(serverOf))).toEqual(new Set([server]))
})
