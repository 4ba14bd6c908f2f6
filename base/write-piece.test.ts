import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writePiece } from './write-piece.ts'

let answer: (response: ServerResponse) => void
const server = createServer((request, response) => {
  request.resume()
  response.sendDate = false
  answer(response)
})

beforeEach(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** What comes back for requests that are sent at once, to the end of the connection. */
async function exchange(...requests: readonly string[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.end(requests.map((line) => `${line}\r\nHost: x\r\n\r\n`).join(''))
  const pieces: Buffer[] = []
  for await (const piece of socket) pieces.push(piece)
  return Buffer.concat(pieces).toString('latin1')
}

/** What the same pieces come to, written by Node and by us. */
async function bothWays(pieces: readonly Buffer[], headers: Record<string, string>, request: string) {
  const answers: string[] = []
  const ways = [(to: ServerResponse, piece: Buffer) => to.write(piece), writePiece]
  for (const write of ways) {
    answer = (response) => {
      response.writeHead(200, headers)
      for (const piece of pieces) write(response, piece)
      response.end()
    }
    answers.push(await exchange(request, request))
  }
  return answers as [string, string]
}

const piecesOf = (...lengths: readonly number[]) =>
  lengths.map((length, index) => Buffer.alloc(length, 97 + (index % 26)))

const lengths = [1, 9, 10, 15, 16, 17, 0, 255, 256, 257, 4_095, 4_096, 4_097, 16_383, 16_384, 16_385, 70_000]

test.each([
  ['in chunks', {}, 'GET / HTTP/1.1'],
  ['bare, for a client of HTTP/1.0', {}, 'GET / HTTP/1.0'],
  [
    'bare, where the head tells a length',
    { 'Content-Length': String(lengths.reduce((a, b) => a + b)) },
    'GET / HTTP/1.1',
  ],
  ['not at all, where only the head was asked for', {}, 'HEAD / HTTP/1.1'],
])('pieces of all lengths go as Node would write them, %s', async (_, headers, request) => {
  const [byNode, byUs] = await bothWays(piecesOf(...lengths), headers, request)
  expect(byUs).toBe(byNode)
  expect(byUs.startsWith('HTTP/1.1 200 OK\r\n')).toBe(true)
})

test('what others write to the same answer is framed as before', async () => {
  answer = (response) => {
    response.writeHead(200)
    writePiece(response, Buffer.from('one'))
    response.write('two')
    writePiece(response, Buffer.from('three'))
    response.end('four')
  }
  const whole = await exchange('GET / HTTP/1.1')
  const body = whole.slice(whole.indexOf('\r\n\r\n') + 4)
  expect(body).toBe('3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n4\r\nfour\r\n0\r\n\r\n')
})

/** What is handed to an answer's socket while something is done; its head was sent before. */
async function writesOf(act: (response: ServerResponse) => void): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  answer = (response) => {
    response.writeHead(200).flushHeaders()
    const socket = response.socket!
    const underneath = socket.write.bind(socket) as (...all: unknown[]) => boolean
    socket.write = (...all: unknown[]) => {
      seen.push(all[0])
      return underneath(...all)
    }
    act(response)
    socket.write = underneath
    response.end()
  }
  await exchange('GET / HTTP/1.1')
  return seen
}

test.each([
  ['Node', 4, (to: ServerResponse, piece: Buffer) => to.write(piece)],
  ['it', 1, writePiece],
])('for a piece %s makes writes: %d', async (_, expected, write) => {
  expect(await writesOf((response) => write(response, Buffer.from('one')))).toHaveLength(expected)
})

test('what a reader that is behind has not taken is in memory of its own', async () => {
  const writes = await writesOf((response) => {
    for (let index = 0; index < 3; index++) writePiece(response, Buffer.from('one'))
  })
  const frameBytes = '3\r\none\r\n'.length
  const memory = writes.map((frame) => (frame as Buffer).buffer.byteLength)
  expect(memory).toEqual([Buffer.poolSize, frameBytes, frameBytes])
})

test('it says when the reader has enough', async () => {
  const told: boolean[] = []
  answer = (response) => {
    response.writeHead(200).flushHeaders()
    for (let index = 0; index < 10; index++) told.push(writePiece(response, Buffer.alloc(16_384)))
    response.end()
  }
  await exchange('GET / HTTP/1.1')
  expect(told[0]).toBe(true)
  expect(told.at(-1)).toBe(false)
})
