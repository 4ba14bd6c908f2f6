import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { passingOverInterim } from './interim.ts'

/** A server that writes as it is told once a request has come, and a pool that speaks to it. */
async function startWorld(answer: (socket: Socket, count: number) => void) {
  let count = 0
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.setNoDelay(true).on('error', () => {})
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes
      while (text.includes('\r\n\r\n')) {
        text = text.slice(text.indexOf('\r\n\r\n') + 4)
        answer(socket, count++)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connect = passingOverInterim(buildConnector({ allowH2: false }))
  const pool = new Pool(`http://127.0.0.1:${port}`, { connect, connections: 1 })
  onTestFinished(async () => {
    await pool.destroy()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    sockets,
    async ask(method: Dispatcher.HttpMethod = 'GET') {
      const { statusCode, headers, body } = await pool.request({ path: '/', method })
      return { status: statusCode, headers, text: await body.text() }
    },
  }
}

const FINAL = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n'
const PROCESSING = 'HTTP/1.1 102 Processing\r\n\r\n'

const befores: [string, string][] = [
  ['nothing', ''],
  ['a 100', CONTINUE],
  ['a 102', PROCESSING],
  ['a 103', HINTS],
  ['a 199', 'HTTP/1.1 199 Whatever\r\n\r\n'],
  ['a 100 of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
  ['a 100 without words', 'HTTP/1.1 100\r\n\r\n'],
  ['a 100 in lines of LF', 'HTTP/1.1 100 Continue\n\n'],
  ['an empty line and a 100', `\r\n${CONTINUE}`],
  ['several of them', CONTINUE + HINTS + PROCESSING + CONTINUE],
]

test.each(befores)('%s before an answer is passed over, in one piece and byte by byte', async (_, before) => {
  const world = await startWorld((socket, count) => {
    if (count < 2) socket.write(before + FINAL)
    else for (const byte of before + FINAL) socket.write(byte)
  })
  for (let turn = 0; turn < 4; turn++) expect(await world.ask()).toMatchObject({ status: 200, text: 'hello' })
  expect(world.sockets).toHaveLength(1)
})

test('some hundred of them are passed over', async () => {
  const world = await startWorld((socket) => socket.write(PROCESSING.repeat(300) + FINAL))
  expect(await world.ask()).toMatchObject({ status: 200, text: 'hello' })
})

test('an answer that comes long after an interim one is the answer', async () => {
  let finish = () => {}
  const world = await startWorld((socket) => {
    socket.write(CONTINUE)
    finish = () => socket.write(FINAL)
  })
  const asked = world.ask()
  while (world.sockets.length === 0 || world.sockets[0]!.bytesWritten === 0) await new Promise(setImmediate)
  finish()
  expect(await asked).toMatchObject({ status: 200, text: 'hello' })
})

test.each([CONTINUE, HINTS])(
  'behind %j an answer without a length ends with its connection',
  async (before) => {
    const world = await startWorld((socket) => {
      socket.end(`${before}HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello`)
    })
    expect(await world.ask()).toMatchObject({ status: 200, text: 'hello' })
  },
)

test('what looks like an interim answer within a body is part of the body', async () => {
  const body = CONTINUE.repeat(3)
  const world = await startWorld((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
    // A piece of its own, so that a body begins as a head does.
    setImmediate(() => socket.write(body))
  })
  for (let turn = 0; turn < 3; turn++) expect((await world.ask()).text).toBe(body)
})

test('a request of HEAD is answered as before', async () => {
  const world = await startWorld((socket) =>
    socket.write(`${HINTS}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n`),
  )
  expect(await world.ask('HEAD')).toMatchObject({ status: 200, text: '' })
})

const wrongs: [string, string][] = [
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
  ['another protocol that is not named', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['a status that is none', `HTTP/1.1 099 What\r\n\r\n${FINAL}`],
  ['interim answers without an end', HINTS.repeat(400)],
  ['one interim answer without an end', `HTTP/1.1 103 Early Hints\r\n${'X: y\r\n'.repeat(4_000)}`],
  ['the end of the connection', CONTINUE],
]

test.each(wrongs)('%s in place of an answer is a failure, at once', async (_, text) => {
  const world = await startWorld((socket, count) => {
    if (count > 0) socket.write(FINAL)
    else if (text === CONTINUE) socket.end(text)
    else socket.write(text)
  })
  await expect(world.ask()).rejects.toThrow()
  expect((await world.ask()).text).toBe('hello')
})
