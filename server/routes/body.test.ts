import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ClientGone, readBody } from './body.ts'
import { createBodyMemory } from './body-memory.ts'

/** Sends pieces of a body, with what is declared of it, and gives what reading it came to. */
async function read(
  pieces: readonly string[],
  headers: Record<string, string>,
  isEnded = true,
): Promise<unknown> {
  const memory = createBodyMemory(1_000)
  const result = new Promise((resolve) => {
    const server = createServer((incoming, response) => {
      const lease = memory.open()
      readBody(incoming, { maxBytes: 100, lease, idleMs: 50 }).then(resolve, resolve)
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
  const memory = createBodyMemory(10_000)
  const incoming = Object.assign(Readable.from(Array(3_000).fill(Buffer.from('x'))), {
    headers: {},
    complete: true,
  })
  const concat = vi.spyOn(Buffer, 'concat')
  onTestFinished(() => concat.mockRestore())
  const lease = memory.open()
  const body = await readBody(incoming as unknown as IncomingMessage, { maxBytes: 10_000, lease })
  expect(body.toString()).toBe('x'.repeat(3_000))
  expect(Math.max(...concat.mock.calls.map(([pieces]) => pieces.length))).toBeLessThanOrEqual(1_024)
})

test('a body over the limit is refused, declared or not', async () => {
  expect(await read(['x'], { 'content-length': '101' }, false)).toMatchObject({ code: 'request_too_large' })
  expect(await read(['x'.repeat(101)], {})).toMatchObject({ code: 'request_too_large' })
})

test('a body that stops coming is given up, whatever it had announced', async () => {
  expect(await read(['x'], { 'content-length': '90' }, false)).toBeInstanceOf(ClientGone)
})
