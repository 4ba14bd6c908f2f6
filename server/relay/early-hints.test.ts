import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { ask, askAndSettle, closeWorlds, startWorld } from './testing/world.ts'

const open: (() => void)[] = []

afterEach(async () => {
  await closeWorlds()
  for (const close of open.splice(0)) close()
})

const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'
const BODY = '{"choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}'

/** A backend that answers each request with these bytes and then closes its connection. */
async function startRaw(...pieces: readonly string[]) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      void writeOneByOne(socket, pieces)
    })
  })
  return await listening(server)
}

async function listening(server: Server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    model: 'm',
    usage: 'final',
  } as const
}

/** Each piece is a read of its own at the other end. */
async function writeOneByOne(socket: Socket, pieces: readonly string[]): Promise<void> {
  socket.setNoDelay(true)
  for (const piece of pieces) {
    socket.write(piece)
    await sleep(20)
  }
  socket.end()
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

test.each([
  ['without a length', [HEAD, '\r\n', BODY]],
  ['without a length, after a 103', [HINTS, HEAD, '\r\n', BODY]],
  ['without a length, after two 103 in the same write', [`${HINTS}${HINTS}${HEAD}\r\n`, BODY]],
  ['that says it closes, after a 103', [HINTS, HEAD, 'Connection: close\r\n\r\n', BODY]],
  ['all in one write after a 103', [`${HINTS}${HEAD}\r\n${BODY}`]],
])('an answer %s ends where its connection does', async (_, pieces) => {
  const backend = await startRaw(...pieces)
  const world = await startWorld({ streamed: false, backends: [backend] })
  const reply = await ask(world)
  expect(reply.status).toBe(200)
  expect(JSON.parse(reply.text).choices[0].message.content).toBe('hi')
})

test.each([
  ['without a length after a 103', HINTS, ''],
  ['without a length', '', ''],
  ['of another coding', '', 'Transfer-Encoding: identity\r\n'],
])('an answer %s ends with its JSON where the connection is never closed', async (_, hints, coding) => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(`${hints}${HEAD}${coding}\r\n${BODY}`))
  })
  const world = await startWorld({ streamed: false, backends: [await listening(server)] })
  const { reply, outcome } = await askAndSettle(world)
  expect([reply.status, outcome.status]).toEqual([200, 'ok'])
})
