import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ApiError } from '../errors.ts'
import { ParseTurns } from '../parsing/parse-turns.ts'
import { ClientGone, readBody } from './body.ts'
import { createBodyMemory } from './body-memory.ts'
import { Discards } from './discard.ts'

/** What a message of a test's own comes over. */
const socket = new Socket()

/** Sends pieces of a body, with what is declared of it, and gives what reading it came to. */
async function read(
  pieces: readonly string[],
  headers: Record<string, string>,
  isEnded = true,
): Promise<unknown> {
  const memory = createBodyMemory(1_000_000, 1_000)
  const result = new Promise((resolve) => {
    const server = createServer((incoming, response) => {
      const lease = memory.open({ pool: 'large', address: 'a' })
      readBody(incoming, { maxBytes: 100, lease, windowMs: 50 }).then(resolve, resolve)
      response.on('error', () => {})
    }).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      const message = request({ port, host: '127.0.0.1', method: 'POST', headers })
      message.on('error', () => {})
      for (const piece of pieces) message.write(piece)
      if (isEnded) message.end()
      onTestFinished(async () => {
        message.destroy()
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      })
    })
  })
  return await result
}

test('a body arrives whole, declared or in chunks', async () => {
  expect(await read(['ab', 'c'], {})).toEqual(Buffer.from('abc'))
  expect(await read(['abc'], { 'content-length': '3' })).toEqual(Buffer.from('abc'))
  expect(await read([], { 'content-length': '0' })).toEqual(Buffer.alloc(0))
})

test('of very many small chunks no more than some are kept apart', async () => {
  const memory = createBodyMemory(1_000_000, 10_000)
  const incoming = Object.assign(Readable.from(Array(3_000).fill(Buffer.from('x'))), {
    headers: {},
    complete: true,
    socket,
  })
  const concat = vi.spyOn(Buffer, 'concat')
  onTestFinished(() => concat.mockRestore())
  const lease = memory.open({ pool: 'large', address: 'a' })
  const body = await readBody(incoming as unknown as IncomingMessage, { maxBytes: 10_000, lease })
  expect(body.toString()).toBe('x'.repeat(3_000))
  expect(Math.max(...concat.mock.calls.map(([pieces]) => pieces.length))).toBeLessThanOrEqual(1_024)
})

test('a body that comes with its head is taken in one piece, and its connection serves on', async () => {
  const inspected: string[] = []
  const memory = createBodyMemory(1_000, 100)
  const server = createServer(async (incoming, response) => {
    const pieces = vi.spyOn(incoming, 'iterator')
    const lease = memory.open({ pool: 'small', address: 'a' })
    const inspect = (piece: Buffer) => {
      inspected.push(piece.toString())
      return piece.length === 1 ? new ApiError('invalid_json', 'No.') : undefined
    }
    const body = await readBody(incoming, { maxBytes: 100, lease, inspect }).catch(({ message }) => message)
    const used = memory.usage.usedBytes.small
    lease.release()
    response.end(`${body} ${used} ${pieces.mock.calls.length}.`)
  }).listen(0, '127.0.0.1')
  const turns = new ParseTurns()
  server.on('connection', (socket) => turns.follow(socket))
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1')
  for (const [body, answer] of [
    ['abc', 'abc 3 0.'],
    ['', ' 0 0.'],
    ['x', 'No. 1 0.'],
    ['abcd', 'abcd 4 0.'],
  ]) {
    let answered = ''
    client.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body!.length}\r\n\r\n${body}`)
    while (!answered.endsWith('.')) answered += (await once(client, 'data'))[0]
    expect(answered.split('\r\n\r\n').at(-1)).toBe(answer)
  }
  client.destroy()
  expect(inspected).toEqual(['abc', 'x', 'abcd'])
})

test('a body over the limit is refused, declared or not', async () => {
  expect(await read(['x'], { 'content-length': '101' }, false)).toMatchObject({ code: 'request_too_large' })
  expect(await read(['x'.repeat(101)], {})).toMatchObject({ code: 'request_too_large' })
})

test('a body that stops coming is refused, whatever it had announced', async () => {
  expect(await read(['x'], { 'content-length': '90' }, false)).toMatchObject({ code: 'request_timeout' })
})

test('a body that comes fast and then a byte at a time is refused: the rate counts, not the sum', async () => {
  const drip = async function* () {
    yield Buffer.alloc(100_000)
    for (;;) {
      yield Buffer.alloc(1)
      await setTimeout(5)
    }
  }
  const incoming = Object.assign(Readable.from(drip()), { headers: {}, complete: false, socket })
  const lease = createBodyMemory(10_000_000, 1_000_000).open({ pool: 'large', address: 'a' })
  const reading = readBody(incoming as unknown as IncomingMessage, {
    maxBytes: 1_000_000,
    lease,
    windowMs: 50,
  })
  await expect(reading).rejects.toMatchObject({ code: 'request_timeout', headers: { Connection: 'close' } })
  incoming.destroy()
})

test('time that was spent on waiting for memory is not held against the sender', async () => {
  const lease = { takeAtOnce: () => false, take: () => setTimeout(120, true), release() {} }
  const incoming = Object.assign(Readable.from(['x', 'y'].map((text) => Buffer.from(text))), {
    headers: {},
    complete: true,
    socket,
  })
  const options = { maxBytes: 100, lease, windowMs: 100 }
  expect((await readBody(incoming as unknown as IncomingMessage, options)).toString()).toBe('xy')
})

test('what is wrong with a piece ends the reading', async () => {
  const incoming = Object.assign(Readable.from([Buffer.from('x'), Buffer.from('y')]), {
    headers: {},
    complete: false,
    socket,
  })
  const flaw = new ApiError('invalid_json', 'No.')
  const inspected: string[] = []
  const reading = readBody(incoming as unknown as IncomingMessage, {
    maxBytes: 100,
    lease: createBodyMemory(1_000, 100).open({ pool: 'small', address: 'a' }),
    inspect: (piece) => {
      inspected.push(piece.toString())
      return flaw
    },
  })
  await expect(reading).rejects.toBe(flaw)
  expect(inspected).toEqual(['x'])
})

test('a client that leaves is not answered', async () => {
  const incoming = Object.assign(Readable.from([Buffer.from('x')]), { headers: {}, complete: false, socket })
  const lease = createBodyMemory(1_000, 100).open({ pool: 'small', address: 'a' })
  const reading = readBody(incoming as unknown as IncomingMessage, { maxBytes: 100, lease })
  await expect(reading).rejects.toBeInstanceOf(ClientGone)
})

test('the rest of a refused body is thrown away, so that its connection serves the next request', async () => {
  const memory = createBodyMemory(1_000_000, 10_000)
  const discards = new Discards()
  const server = createServer(async (incoming, response) => {
    discards.follow(incoming, response)
    const lease = memory.open({ pool: 'large', address: 'a' })
    const flaw = new ApiError('invalid_json', 'No.')
    const body = readBody(incoming, { maxBytes: 1_000_000, lease, inspect: () => flaw })
    const said = await body.then(
      () => 'read',
      () => 'refused',
    )
    response.end(said)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const { port } = server.address() as AddressInfo
  for (let count = 0; count < 3; count++) {
    const sent = request({ port, host: '127.0.0.1', method: 'POST', agent }).end(Buffer.alloc(500_000))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(await text(response)).toBe('refused')
  }
})
