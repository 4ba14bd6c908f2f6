import { connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { ask, closeWorlds, readAll, send, startWorld, type World } from '../testing/world.ts'

afterEach(closeWorlds)

/** A gateway that answers with these bytes, and closes its connection behind them. */
function startSaying(bytes: () => string | Buffer): Promise<World> {
  return startWorld({
    script: ({ socket, url }, response) => {
      if (url === '/healthy') response.end('fine')
      else socket.end(typeof bytes() === 'string' ? Buffer.from(bytes() as string, 'latin1') : bytes())
    },
  })
}

const BODY = 'Content-Length: 5\r\n\r\nhello'

test.each([
  ['a 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
  [
    'many of 102 and 103',
    'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(20),
  ],
])('%s before an answer is passed over', async (_, before) => {
  for (const rest of [BODY, 'Content-Type: text/plain\r\n\r\nhello']) {
    const world = await startSaying(() => `${before}HTTP/1.1 200 OK\r\n${rest}`)
    for (const method of ['GET', 'POST']) {
      const reply = await ask(world, { method, ...(method === 'POST' && { body: '{}' }) })
      expect(reply).toMatchObject({ status: 200, text: 'hello', headers: { 'x-proxy-verdict': 'allow' } })
    }
  }
})

test('a 101 that nobody asked for is a 502, at once', async () => {
  const world = await startWorld({
    script: ({ socket }) => void socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  })
  expect(await ask(world)).toMatchObject({ status: 502 })
})

test.each([
  ['a control character', 'Fi\x01ne', 'OK'],
  ['a byte beyond ASCII', 'Fin\xe9', 'OK'],
  ['DEL', 'Fi\x7fne', 'OK'],
  ['nothing', '', ''],
  ['words of its own', 'All is well', 'All is well'],
])('a status text of %s is answered with a status text that can be written', async (_, text, written) => {
  const world = await startSaying(() => `HTTP/1.1 200 ${text}\r\n${BODY}`)
  const response = await send(world)
  expect(response.statusMessage).toBe(written)
  expect(await readAll(response)).toBe('hello')
  expect(response.headers['x-proxy-verdict']).toBe('allow')
})

/** What a client reads on a socket of its own until the proxy closes it; it says that it wants no other answer. */
function exchange(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1').on('data', (piece) => {
      text += piece
    })
    socket.on('error', reject).on('close', () => resolve(text))
    socket.write('GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
  })
}

// A status line that may stand there, and one that may not; header lines; a body: each of any bytes.
const octets = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 12,
})
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 999 }), octets)
      .map(([status, text]) => `HTTP/1.1 ${String(status).padStart(3, '0')} ${text}`),
  },
  { weight: 1, arbitrary: octets },
)
const name = fc.oneof(
  fc.constantFrom(
    'Content-Length',
    'Transfer-Encoding',
    'Content-Type',
    'Connection',
    'Trailer',
    'Upgrade',
    'Date',
    'Set-Cookie',
  ),
  octets,
)
const value = fc.oneof(
  fc.constantFrom('5', '0', '-1', 'chunked', 'close', 'keep-alive', 'text/event-stream', 'websocket', 'gzip'),
  octets,
)
const field = fc.tuple(name, value).map((pair) => pair.join(': '))
const said = fc
  .tuple(
    line,
    fc.array(field, { maxLength: 4 }),
    fc.constantFrom('hello', '', '5\r\nhello\r\n0\r\n\r\n', 'data: 1\n\nda'),
  )
  .map(([first, fields, body]) => `${[first, ...fields].join('\r\n')}\r\n\r\n${body}`)

test('whatever bytes come in place of an answer, the client has a valid answer or a closed socket', async () => {
  let bytes = ''
  const world = await startSaying(() => bytes)
  await fc.assert(
    fc.asyncProperty(said, async (text) => {
      bytes = text
      const answered = await exchange(world.port)
      expect(answered).toMatch(
        /^$|^HTTP\/1\.1 [2-9]\d\d [\t\x20-\x7e]*\r\n([!#-'*+.^-z|~\w-]+: [\t\x20-\x7e\x80-\xff]*\r\n)*\r\n/,
      )
    }),
    { numRuns: 300, endOnFailure: true },
  )
  expect(await ask(world, { path: '/healthy' })).toMatchObject({ status: 200, text: 'fine' })
}, 60_000)
