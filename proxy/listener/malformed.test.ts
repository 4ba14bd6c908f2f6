import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
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
