import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test, vi } from 'vitest'
import { closeWorlds, startWorld } from '../testing/world.ts'

afterEach(closeWorlds)

const HOST = 'Host: 127.0.0.1'

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400, 'invalid_json'],
  ['a second host', `GET /v1/models HTTP/1.1\r\n${HOST}\r\n${HOST}\r\n\r\n`, 400, 'invalid_json'],
  [
    'a second authorization',
    `GET /v1/models HTTP/1.1\r\n${HOST}\r\nAuthorization: a\r\nauthorization: b\r\n\r\n`,
    400,
    'invalid_json',
  ],
  [
    'an odd expectation',
    `GET /v1/models HTTP/1.1\r\n${HOST}\r\nExpect: cookies\r\n\r\n`,
    400,
    'invalid_json',
  ],
  ['a tunnel', `CONNECT a.example:443 HTTP/1.1\r\n${HOST}\r\n\r\n`, 400, 'invalid_json'],
  ['a large head', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n\r\n`, 431, 'headers_too_large'],
])('%s is refused as the router refuses it, and nothing is passed on', async (_, bytes, status, code) => {
  const world = await startWorld()
  const socket = connect(world.port, '127.0.0.1')
  socket.end(bytes)
  const answer = await text(socket)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(answer).toMatch(/\r\nX-Request-Id: req-/i)
  expect(answer).toMatch(/\r\nContent-Type: application\/json/i)
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual({
    error: { message: expect.any(String), type: 'invalid_request_error', code },
  })
  expect(world.gateway.accepted).toBe(0)
})

/** What a connection is told whose time is up once the proxy has read `bytes` of it. */
async function overstay(port: number, bytes: string): Promise<string> {
  const accepted = new Promise<Accepted>((resolve) => {
    const take = (message: unknown): void => {
      const { socket } = message as { readonly socket: Accepted }
      if (socket.localPort !== port) return
      unsubscribe('net.server.socket', take)
      resolve(socket)
    }
    subscribe('net.server.socket', take)
  })
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  const reader = await accepted
  await vi.waitUntil(() => reader.server !== undefined && reader.bytesRead === bytes.length)
  reader.server!.headersTimeout = 1
  return await text(socket)
}

/** A connection as Node's HTTP server has it. */
interface Accepted extends Socket {
  readonly server?: Server
}

test('a connection that was opened ahead is closed in its time and told nothing (REQ-71)', async () => {
  const world = await startWorld()
  expect(await overstay(world.port, '')).toBe('')
})

test('half a head is told that it came too slowly, and nothing is passed on (REQ-72)', async () => {
  const world = await startWorld()
  const answer = await overstay(world.port, `GET /v1/models HTTP/1.1\r\n${HOST}`)
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('"code":"request_timeout"')
  expect(world.gateway.accepted).toBe(0)
})

test('half a head behind a request that waits for its answer is not told of in its place (REQ-72)', async () => {
  const world = await startWorld({ script: () => {} })
  const request = `GET /v1/models HTTP/1.1\r\n${HOST}\r\n\r\n`
  expect(await overstay(world.port, request + request.slice(0, -2))).toBe('')
})

test('who asks for a tunnel and resets the connection ends nothing', async () => {
  const world = await startWorld()
  for (let time = 0; time < 3; time++) {
    const socket = connect(world.port, '127.0.0.1')
    socket.write(`CONNECT a.example:443 HTTP/1.1\r\n${HOST}\r\n\r\n`)
    // Fails the run where nobody hears of the reset.
    await once(socket, 'data')
    socket.resetAndDestroy()
  }
  const socket = connect(world.port, '127.0.0.1')
  socket.end('hello\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /)
})

test('what is no request ends an answer that has begun, and puts nothing into it', async () => {
  const world = await startWorld({ script: (_, response) => void response.writeHead(200).write('begun') })
  const socket = connect(world.port, '127.0.0.1')
  socket.write(`GET /v1/models HTTP/1.1\r\n${HOST}\r\n\r\n`)
  let answer = ''
  for await (const piece of socket.setEncoding('utf8')) {
    answer += piece
    if (piece.includes('begun')) socket.write('no request\r\n\r\n')
  }
  expect(answer).toContain('begun')
  expect(answer).not.toContain('HTTP/1.1 400')
})

test.each([
  ['nonsense', 'no request\r\n\r\n'],
  ['a tunnel', `CONNECT a.example:443 HTTP/1.1\r\n${HOST}\r\n\r\n`],
  [
    'a body that is none',
    `POST /v1/models HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n\r\n`,
  ],
])('%s behind a request that waits for its answer is not told in its place', async (_, next) => {
  const world = await startWorld({ script: () => {} })
  const socket = connect(world.port, '127.0.0.1')
  socket.write(`GET /v1/models HTTP/1.1\r\n${HOST}\r\n\r\n`)
  await vi.waitUntil(() => world.gateway.accepted === 1)
  socket.write(next)
  expect(await text(socket)).toBe('')
})

test('nonsense in a body whose request was answered is not answered a second time', async () => {
  const world = await startWorld()
  const socket = connect(world.port, '127.0.0.1')
  socket.write('POST /v1/models HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n')
  let answer = ''
  for await (const piece of socket.setEncoding('utf8')) {
    answer += piece
    if (answer.endsWith('}}')) socket.write('no length\r\n\r\n')
  }
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403'])
})

test('nonsense that comes with what nobody knows is not answered a second time', async () => {
  const world = await startWorld()
  const socket = connect(world.port, '127.0.0.1')
  const head = `POST /v1/models HTTP/1.1\r\n${HOST}\r\nExpect: cookies\r\nTransfer-Encoding: chunked\r\n\r\n`
  socket.write(`${head}no length\r\n\r\n`)
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400'])
})

test.each([
  ['has no body and is answered', '\r\n', 0],
  ['has no body and waits for its answer', '\r\n', 500],
  ['has a body and is answered', 'Content-Length: 2\r\n\r\n{}', 0],
  ['has a body in chunks and is answered', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 0],
])(
  'the body behind a request that asks for another protocol, %s, is taken for no request',
  async (_, end, tookMs) => {
    const world = await startWorld({
      script: (_, response) => void setTimeout(() => response.end('ok'), tookMs),
    })
    const socket = connect(world.port, '127.0.0.1').on('error', () => {})
    let answers = ''
    socket.setEncoding('latin1').on('data', (piece) => (answers += piece))
    // What is written to a connection that has ended resets it, which takes no answer away.
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const head = (more: string) => `POST /v1/models HTTP/1.1\r\n${HOST}\r\n${more}`
    const inner = `GET /v1/generation HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`
    const next = head(`Content-Length: ${inner.length}\r\n\r\n`)
    socket.write(head(`Connection: upgrade\r\nUpgrade: h2c\r\n${end}${next}`))
    await vi.waitUntil(() => world.gateway.requests.length === 1)
    if (tookMs === 0) await vi.waitUntil(() => answers !== '')
    socket.write(inner)
    await closed
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
    expect(world.gateway.requests.map(({ url }) => url)).toEqual(['/v1/models'])
  },
)

test('what is sent ahead of an answer that closes the connection is not passed on (REQ-74)', async () => {
  // Without a length: to HTTP/1.0 the end of such an answer is told by that of the connection.
  const world = await startWorld({
    script(_, response) {
      response.write('o')
      setTimeout(() => response.end('k'), 50)
    },
  })
  const socket = connect(world.port, '127.0.0.1')
  const first = `GET /v1/models HTTP/1.0\r\n${HOST}\r\nConnection: keep-alive\r\n\r\n`
  socket.write(`${first}GET /v1/generation HTTP/1.1\r\n${HOST}\r\n\r\n`)
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toHaveLength(1)
  expect(world.gateway.requests.map(({ url }) => url)).toEqual(['/v1/models'])
})

test('what is sent behind the last request of a connection takes no answer away', async () => {
  const world = await startWorld()
  const socket = connect(world.port, '127.0.0.1')
  const next = `GET /v1/generation HTTP/1.1\r\n${HOST}\r\n\r\n`
  socket.write(`GET /v1/models HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n${next}`)
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  expect(world.gateway.requests.map(({ url }) => url)).toEqual(['/v1/models'])
})

test('what is sent ahead is passed on when its turn has come', async () => {
  const seen: string[] = []
  const world = await startWorld({
    script: ({ url }, response) => {
      seen.push(`asked ${url}`)
      setTimeout(() => {
        seen.push(`answered ${url}`)
        response.end(url)
      }, 50)
    },
  })
  const socket = connect(world.port, '127.0.0.1')
  const head = (path: string) => `GET /v1/${path} HTTP/1.1\r\n${HOST}\r\n`
  socket.write(`${head('a')}\r\n${head('b')}\r\n${head('c')}Connection: close\r\n\r\n`)
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toHaveLength(3)
  expect(seen).toEqual(['a', 'b', 'c'].flatMap((path) => [`asked /v1/${path}`, `answered /v1/${path}`]))
})

test('whoever leaves takes along what was sent ahead', async () => {
  const world = await startWorld({ script: () => {}, drainMs: 60_000 })
  const socket = connect(world.port, '127.0.0.1')
  socket.write(`GET /v1/models HTTP/1.1\r\n${HOST}\r\n\r\n`.repeat(3))
  await vi.waitUntil(() => world.gateway.requests.length === 1)
  socket.destroy()
  // Waits for a minute where one of them is still thought to run.
  await world.stop()
  expect(world.gateway.requests).toHaveLength(1)
})
