import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { hasSmallBody, RequestBody, takeWhole } from './body.ts'

/** A request as its server has it when only these bytes have come, and a way to send the rest. */
async function receive(bytes: string): Promise<{ request: IncomingMessage; send: (rest: string) => void }> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  const received = once(server, 'request')
  client.write(bytes)
  const [request] = (await received) as [IncomingMessage]
  return { request, send: (rest) => client.write(rest) }
}

const head = (length: number) => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`

test('a small body that came with its head is there by the next turn, and is taken once', async () => {
  const { request } = await receive(`${head(3)}abc`)
  expect(hasSmallBody(request)).toBe(true)
  await nextTurn()
  expect(takeWhole(request)?.toString()).toBe('abc')
  expect(takeWhole(request)).toBeUndefined()
})

test('a small body of which some is still to come is not taken, and nothing of it is lost', async () => {
  const { request, send } = await receive(`${head(6)}abc`)
  await nextTurn()
  expect(takeWhole(request)).toBeUndefined()
  send('def')
  expect(await text(request)).toBe('abcdef')
})

test.each([
  ['a large one', head(65_537)],
  ['one without a length', 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n'],
  ['none', head(0)],
])('%s is no small body', async (_, bytes) => {
  const { request } = await receive(bytes)
  expect(hasSmallBody(request)).toBe(false)
})

test.each([
  ['of no chunks', 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['of a length in two digits', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 00\r\n\r\n'],
])('a body %s ends for a second try as it did for the first', async (_, bytes) => {
  const { request } = await receive(bytes)
  const ended = once(request, 'end')
  const first = new RequestBody(request)
  await ended
  first.destroy()
  expect(await text(new RequestBody(request))).toBe('')
})
