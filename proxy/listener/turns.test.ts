import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test, vi } from 'vitest'
import { openConnection } from '../testing/connection.ts'
import { closeWorlds, startWorld } from '../testing/world.ts'

afterEach(closeWorlds)

const HOST = 'Host: 127.0.0.1'
const FIRST = `GET /v1/models HTTP/1.1\r\n${HOST}\r\n\r\n`

/** Answered by the proxy itself, when its turn has come. */
const FOREIGN = 'GET / HTTP/1.1\r\n\r\n'

/** An endpoint whose answers the test ends. */
function answers(): {
  readonly script: (_: unknown, response: ServerResponse) => void
  readonly begun: ServerResponse[]
} {
  const begun: ServerResponse[] = []
  return { begun, script: (_, response) => void begun.push(response) }
}

test('thousands that stand behind an answer that closes the connection are let go, and end nothing', async () => {
  const { script, begun } = answers()
  const world = await startWorld({ script, drainMs: 60_000 })
  const { socket, reader } = await openConnection(world.port)
  // Without a length: to HTTP/1.0 the end of such an answer is told by that of the connection.
  const first = `GET /v1/models HTTP/1.0\r\n${HOST}\r\nConnection: keep-alive\r\n\r\n`
  socket.write(first)
  await vi.waitUntil(() => begun.length === 1)
  const ahead = FOREIGN.repeat(3_000)
  socket.write(ahead)
  await vi.waitUntil(() => reader.bytesRead === first.length + ahead.length)
  begun[0]!.write('o')
  begun[0]!.end('k')
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  // Waits for a minute where one of them is still thought to run.
  await world.stop()
})

test('no more of a connection is read than a few requests ahead, and the others have their turn (PRXY-31)', async () => {
  const { script, begun } = answers()
  const world = await startWorld({ script })
  const { socket, reader } = await openConnection(world.port)
  const large = `GET / HTTP/1.1\r\nX-Padding: ${'x'.repeat(8_000)}\r\n`
  const ahead = `${large}\r\n`.repeat(1_000)
  socket.write(`${FIRST}${ahead}${large}Connection: close\r\n\r\n`)
  await vi.waitUntil(() => begun.length === 1 && reader.isPaused())
  expect(reader.bytesRead).toBeLessThan(ahead.length / 4)
  begun[0]!.end('ok')
  const told = (await text(socket)).match(/HTTP\/1\.1 \d+/g)
  expect(told).toEqual(['HTTP/1.1 200', ...Array(1_001).fill('HTTP/1.1 403')])
})

test('a proxy that stops lets answers end, and takes nothing new behind them (PRXY-31)', async () => {
  const { script, begun } = answers()
  const world = await startWorld({ script, drainMs: 60_000 })
  const streamed = await openConnection(world.port)
  streamed.socket.write(FIRST)
  await vi.waitUntil(() => begun.length === 1)
  begun[0]!.write('o')
  await once(streamed.socket, 'data')
  const silent = await openConnection(world.port)
  const unused = await openConnection(world.port)
  silent.socket.write(FIRST)
  await vi.waitUntil(() => begun.length === 2)
  const stopped = world.stop()
  begun[0]!.end('k')
  streamed.socket.resume().write(FIRST)
  unused.socket.resume().write(FIRST)
  await Promise.all([once(streamed.socket, 'close'), once(unused.socket, 'close')])
  begun[1]!.end('ok')
  expect(await text(silent.socket)).toMatch(/^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/is)
  await stopped
  expect(begun).toHaveLength(2)
})

test('bodies that are sent ahead arrive whole, asked for or not', async () => {
  const bodies: string[] = []
  const world = await startWorld({
    script: (request, response) =>
      void text(request).then((body) => {
        bodies.push(body)
        setTimeout(() => response.end('ok'), 20)
      }),
  })
  const { socket } = await openConnection(world.port)
  const head = (more: string) => `POST /v1/models HTTP/1.1\r\n${HOST}\r\n${more}\r\n`
  const large = 'x'.repeat(300_000)
  socket.write(`${head('Content-Length: 2\r\n')}{}`)
  socket.write(`${head('Expect: 100-continue\r\nContent-Length: 3\r\n')}{1}`)
  socket.write(`${head('Transfer-Encoding: chunked\r\n')}4;odd=1\r\nab\r\n\r\n0\r\nTrailer: x\r\n\r\n`)
  socket.write(head(`Connection: close\r\nContent-Length: ${large.length}\r\n`) + large)
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(
    ['200', '100', '200', '200', '200'].map((status) => `HTTP/1.1 ${status}`),
  )
  expect(bodies).toEqual(['{}', '{1}', 'ab\r\n', large])
})

test('the time that the end of a stream may take is not up in the next answer', async () => {
  const { script, begun } = answers()
  const world = await startWorld({ script })
  const { socket, reader } = await openConnection(world.port)
  socket.write(FIRST.repeat(2))
  await vi.waitUntil(() => begun.length === 1)
  begun[0]!.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')
  await once(socket, 'data')
  // Its end is an error that the proxy tells.
  begun[0]!.destroy()
  await vi.waitUntil(() => begun.length === 2)
  expect(reader.timeout).toBe(0)
})
