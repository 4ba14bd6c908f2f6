import { Agent } from 'node:http'
import type { LookupFunction } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Product, serve } from '../../testing/product.ts'
import { Call } from './call.ts'

let product: Product
const agent = new Agent()

afterEach(() => product.stop())

function sentTo({ baseUrl }: Product) {
  return { method: 'POST', url: `${baseUrl}/x`, headers: {}, body: Buffer.alloc(0) }
}

function call(body = '', options: { isChunked?: boolean; timeoutMs?: number } = {}): Call {
  return new Call({ ...sentTo(product), body: Buffer.from(body) }, { agent, timeoutMs: 5_000, ...options })
}

test('an answer is recorded with its status, headers, pieces and times', async () => {
  let goOn = () => {}
  product = await serve((_, response) => {
    response.writeHead(201, { 'x-one': '1', 'set-cookie': ['a', 'b'] })
    response.write('first')
    goOn = () => void response.end('second')
  })
  const running = call('hello')
  await running.until(({ body }) => body.length > 0)
  setTimeout(() => goOn(), 60)
  const exchange = await running.done
  expect(exchange).toMatchObject({ status: 201, ending: 'complete', fault: undefined, leaf: undefined })
  expect(exchange.headers).toMatchObject({ 'x-one': '1', 'set-cookie': 'a, b' })
  expect(exchange.body.toString()).toBe('firstsecond')
  const [first, second] = exchange.reads
  expect(second!.atMs - first!.atMs).toBeGreaterThan(40)
  expect(exchange.headMs).toBeLessThanOrEqual(first!.atMs)
})

test('a connection that is closed midway is a broken answer and no exception', async () => {
  product = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half')
    setTimeout(() => response.destroy(), 20)
  })
  expect(await call().done).toMatchObject({ status: 200, ending: 'broken', body: Buffer.from('half') })
})

test('no answer at all is status 0', async () => {
  product = await serve((request) => request.socket.destroy())
  expect(await call().done).toMatchObject({ status: 0, ending: 'broken', headMs: null })
})

test('a connection that is closed between two requests is no answer to the second: it is asked on another one', async () => {
  const asked = new Map<unknown, number>()
  product = await serve((request, response) => {
    const turn = (asked.get(request.socket) ?? 0) + 1
    asked.set(request.socket, turn)
    if (turn === 1) response.end('served')
    else request.socket.destroy()
  })
  const kept = new Agent({ keepAlive: true })
  const send = () =>
    new Call({ ...sentTo(product), body: Buffer.from('{}') }, { agent: kept, timeoutMs: 5_000 }).done
  const exchanges = [await send(), await send(), await send()]
  kept.destroy()
  expect(exchanges.map(({ status, fault }) => [status, fault])).toEqual(exchanges.map(() => [200, undefined]))
  expect([...asked.values()]).toEqual([2, 2, 1])
})

test('a new connection that is closed is asked once', async () => {
  let asked = 0
  product = await serve((request) => {
    asked += 1
    request.socket.destroy()
  })
  const kept = new Agent({ keepAlive: true })
  const { status } = await new Call(sentTo(product), { agent: kept, timeoutMs: 5_000 }).done
  expect([status, asked]).toEqual([0, 1])
})

test('of a name with several addresses it is told that nobody listens at any', async () => {
  product = await serve(() => {})
  product.stop()
  const both = [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ]
  const lookup: LookupFunction = (_host, _options, tell) => tell(null, both)
  const agent = new Agent({ lookup })
  const { port } = new URL(product.baseUrl)
  const sent = { ...sentTo(product), url: `http://several.example:${port}/v1/x` }
  const { status, fault } = await new Call(sent, { agent, timeoutMs: 5_000 }).done
  expect([status, fault]).toEqual([
    0,
    `connect ECONNREFUSED 127.0.0.1:${port}, connect ECONNREFUSED 127.0.0.2:${port}`,
  ])
})

test('an answer that takes too long is broken', async () => {
  product = await serve(() => {})
  const exchange = await call('', { timeoutMs: 50 }).done
  expect(exchange).toMatchObject({ status: 0, ending: 'broken', fault: 'no end within 50 ms' })
})

test('a client that leaves is noticed by the product, and keeps what had come', async () => {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  product = await serve((_, response) => {
    response.write('data: 1\n\n')
    response.once('close', resolve)
  })
  const running = call()
  expect(await running.until(({ body }) => body.length > 0)).toBe(true)
  running.abort()
  await left
  expect(await running.done).toMatchObject({ ending: 'aborted', body: Buffer.from('data: 1\n\n') })
})

test('waiting for more than ever comes ends with the answer', async () => {
  product = await serve((_, response) => void response.end('short'))
  const running = call()
  expect(await running.until(({ body }) => body.length > 100)).toBe(false)
})

test('a body is sent with its length, or in chunks without one', async () => {
  product = await serve((request, response) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    response.end(JSON.stringify({ length, encoding }))
  })
  expect(JSON.parse((await call('hello').done).body.toString())).toEqual({ length: '5' })
  const chunked = await call('hello', { isChunked: true }).done
  expect(JSON.parse(chunked.body.toString())).toEqual({ encoding: 'chunked' })
})

test('what a watcher throws in the midst of an answer is heard by whoever waits, and by nobody else', async () => {
  product = await serve((_, response) => {
    response.writeHead(200)
    response.write('nonsense')
  })
  const running = call()
  const watched = running.until(({ body }) => {
    if (body.length > 0) throw new Error('it is nonsense')
    return false
  })
  await expect(watched).rejects.toThrow('it is nonsense')
  expect(running.isOver).toBe(false)
  running.abort()
})

test('an answer without end is broken off', async () => {
  product = await serve((_, response) => {
    response.writeHead(200)
    const piece = Buffer.alloc(65_536)
    const goOn = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', goOn)
    goOn()
  })
  const { ending, fault } = await call().done
  expect({ ending, fault }).toEqual({ ending: 'broken', fault: expect.stringContaining('longer than') })
})

test('a path that cannot be asked for is a broken answer and no exception', async () => {
  product = await serve((_, response) => response.end())
  const sent = {
    method: 'GET',
    url: `${product.baseUrl}/x`,
    headers: { 'x-odd': 'a\nb' },
    body: Buffer.alloc(0),
  }
  const { status, fault } = await new Call(sent, { agent, timeoutMs: 5_000 }).done
  expect({ status, fault }).toEqual({ status: 0, fault: expect.stringContaining('cannot be asked for') })
})
