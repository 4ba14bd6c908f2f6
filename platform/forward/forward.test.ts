import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isErrorBody } from '#contract/validators/error-body'
import { quickest } from '../../tests/pace.ts'
import { HOSTNAME, startWorld, textOf } from '../test-support.ts'

// How soon a client that leaves is noticed behind the gateway on a quiet machine (M-10).
const ABORT_MS = 250

test('Method, path, header and body arrive as they were sent', async () => {
  const seen = vi.fn()
  const { send } = await startWorld(async (request, response) => {
    const { method, url, rawHeaders } = request
    seen({ method, url, rawHeaders, body: await textOf(request) })
    response.end()
  })
  const body = '{"model":"demo/tiny-chat","seed":1.0}'
  const headers = {
    Authorization: 'Bearer sk-tee-v1-x',
    'X-Stainless-Lang': 'js',
    'Content-Length': body.length,
  }
  await send('/v1/models/demo%2Ftiny-chat?a=%20b', { method: 'POST', headers, body })
  const [received] = seen.mock.calls[0]!
  expect(received).toMatchObject({ method: 'POST', url: '/v1/models/demo%2Ftiny-chat?a=%20b', body })
  expect(received.rawHeaders.join('\n')).toContain('Authorization\nBearer sk-tee-v1-x\nX-Stainless-Lang\njs')
})

test('Status, header and body of the answer come back as they were given', async () => {
  const { send } = await startWorld((_, response) => {
    response.writeHead(429, 'Slow down', ['X-Twice', '1', 'Retry-After', '7', 'X-Twice', '2'])
    response.end('{"error":{}}')
  })
  const answer = await send('/v1/chat/completions', { method: 'POST', body: '{}' })
  expect(answer).toMatchObject({ statusCode: 429, statusMessage: 'Slow down' })
  expect(answer.rawHeaders.join('\n')).toContain('X-Twice\n1\nRetry-After\n7\nX-Twice\n2')
  expect(await textOf(answer)).toBe('{"error":{}}')
})

test('Interim answers of the router are passed over', async () => {
  const { send } = await startWorld(({ socket }) => {
    const interim = ['100 Continue', '102 Processing', '103 Early Hints', '103 Early Hints']
    for (const status of interim) socket.write(`HTTP/1.1 ${status}\r\n\r\n`)
    socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello')
  })
  const answer = await send('/v1/models')
  expect(answer.statusCode).toBe(200)
  expect(await textOf(answer)).toBe('hello')
})

test.each([
  ['that names it', 'Connection: upgrade\r\nUpgrade: other\r\n'],
  ['that does not', ''],
])('A switch to another protocol %s is a 502 that must not be tried again', async (_, fields) => {
  const { send } = await startWorld(
    ({ socket }) => void socket.end(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`),
  )
  const answer = await send('/v1/models')
  expect(answer.statusCode).toBe(502)
  expect(answer.headers['x-should-retry']).toBe('false')
})

test('A status text that cannot be written gives way to the usual one', async () => {
  const { send } = await startWorld(
    ({ socket }) => void socket.end('HTTP/1.1 200 Fi\x01ne\r\nContent-Length: 5\r\n\r\nhello'),
  )
  const answer = await send('/v1/models')
  expect(answer).toMatchObject({ statusCode: 200, statusMessage: 'OK' })
  expect(await textOf(answer)).toBe('hello')
})

test.each([
  ['none', {}, '127.0.0.1'],
  ['one', { 'X-Forwarded-For': '203.0.113.7' }, '203.0.113.7, 127.0.0.1'],
  ['several', { 'X-Forwarded-For': ['203.0.113.7', '::1, a'] }, '203.0.113.7, ::1, a, 127.0.0.1'],
])('The peer is appended to X-Forwarded-For where the client sent %s', async (_, headers, expected) => {
  const { send } = await startWorld(echoHeaders)
  const answer = await send('/v1/models', { headers: { 'X-Forwarded-Proto': 'gopher', ...headers } })
  expect(JSON.parse(await textOf(answer))).toMatchObject({
    'x-forwarded-for': expected,
    'x-forwarded-proto': 'https',
    host: expect.stringContaining('127.0.0.1'),
  })
})

test('Fields of one connection are not passed on, in either direction', async () => {
  const { send } = await startWorld((request, response) => {
    response.setHeader('X-Private', 'mine')
    response.setHeader('Proxy-Authenticate', 'Basic')
    response.setHeader('Connection', 'X-Private')
    echoHeaders(request, response)
  })
  const headers = {
    Connection: 'X-Hop, Keep-Alive',
    'X-Hop': '1',
    TE: 'trailers',
    'Proxy-Authorization': 'x',
    'X-Kept': '1',
  }
  const answer = await send('/v1/models', { headers })
  expect(answer.headers).not.toHaveProperty('x-private')
  expect(answer.headers).not.toHaveProperty('proxy-authenticate')
  const received = JSON.parse(await textOf(answer))
  expect(received).toMatchObject({ 'x-kept': '1' })
  for (const name of ['x-hop', 'te', 'proxy-authorization']) expect(received).not.toHaveProperty(name)
})

test('No client can have the length of its body dropped and smuggle a request in it', async () => {
  const seen = vi.fn()
  const { send } = await startWorld(async (request, response) => {
    seen(request.url, await textOf(request))
    response.end()
  })
  const body = 'GET /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
  const headers = { Connection: 'content-length, host', 'Content-Length': body.length }
  await send('/v1/models', { method: 'GET', headers, body, agent: false })
  await send('/v1/models', { agent: false })
  expect(seen.mock.calls).toEqual([
    ['/v1/models', body],
    ['/v1/models', ''],
  ])
})

test.each(['GET', 'POST', 'DELETE'])('A body without a length is passed on with %s', async (method) => {
  const { send } = await startWorld(async (request, response) => void response.end(await textOf(request)))
  const headers = { 'Transfer-Encoding': 'chunked' }
  const answer = await send('/v1/x', { method, headers, body: 'a body' })
  expect(await textOf(answer)).toBe('a body')
})

test('Each chunk of a stream arrives before the next one is sent', async () => {
  const router = Promise.withResolvers<ServerResponse>()
  const { send } = await startWorld((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
    router.resolve(response)
  })
  // The header arrives alone, for nothing was sent after it.
  const stream = await send('/v1/chat/completions')
  const response = await router.promise
  for (const text of ['data: 1\n\n', ': ping\n\n', 'data: [DONE]\n\n']) {
    response.write(text)
    const [chunk] = await once(stream, 'data')
    expect(String(chunk)).toBe(text)
  }
  response.end()
  await once(stream, 'end')
})

test('Each part of a body arrives before the next one is sent', async () => {
  const router = Promise.withResolvers<IncomingMessage>()
  const { port, root } = await startWorld((request) => router.resolve(request))
  const upload = request({ host: '127.0.0.1', port, ca: root, servername: HOSTNAME, method: 'POST' })
  upload.on('error', () => undefined)
  for (const text of ['one', 'two', 'three']) {
    upload.write(text)
    const [chunk] = await once(await router.promise, 'data')
    expect(String(chunk)).toBe(text)
  }
  upload.destroy()
})

test.each([
  ['before the answer', () => undefined],
  ['after its header', (response: ServerResponse) => response.flushHeaders()],
  ['within a stream', (response: ServerResponse) => response.write('data: 1\n\n')],
])('A client that leaves %s ends the request at the router at once', async (_, begin) => {
  const leaveOnce = async () => {
    const router = Promise.withResolvers<ServerResponse>()
    const { port, root } = await startWorld((_, response) => {
      begin(response)
      router.resolve(response)
    })
    const client = request({ host: '127.0.0.1', port, ca: root, servername: HOSTNAME })
    client.on('error', () => undefined)
    client.end()
    const response = await router.promise
    const left = performance.now()
    client.destroy()
    await once(response, 'close')
    const tookMs = performance.now() - left
    expect(response.writableFinished).toBe(false)
    return tookMs
  }
  expect(await quickest(ABORT_MS, leaveOnce)).toBeLessThan(ABORT_MS)
})

test('A client that leaves in the middle of its body ends the request at the router', async () => {
  const router = Promise.withResolvers<IncomingMessage>()
  const { port, root } = await startWorld((request) => router.resolve(request))
  const client = request({ host: '127.0.0.1', port, ca: root, servername: HOSTNAME, method: 'POST' })
  client.on('error', () => undefined)
  client.write('{')
  const received = await router.promise
  received.resume()
  client.destroy()
  await once(received, 'aborted')
  expect(received.complete).toBe(false)
})

test('A client that reads nothing holds the router back', async () => {
  let written = 0
  const chunk = Buffer.alloc(64 * 1024)
  const { send } = await startWorld((_, response) => {
    const fill = (): void => {
      do written += chunk.length
      while (response.write(chunk))
    }
    response.on('drain', fill)
    fill()
  })
  const answer = await send('/v1/chat/completions', { agent: false })
  let before = -1
  await vi.waitUntil(
    () => {
      const still = written === before
      before = written
      return still
    },
    { interval: 200 },
  )
  // What the kernel and the two programs hold for a connection, far below what would have been sent.
  expect(written).toBeLessThan(48 * 1024 * 1024)
  answer.destroy()
})

test('A stream that the router cuts off does not look finished', async () => {
  const { send } = await startWorld((_, response) => {
    response.write('data: 1\n\n', () => response.destroy())
  })
  const answer = await send('/v1/chat/completions')
  await expect(textOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('A router that cannot be reached is a 502 backend_unavailable that may be tried again', async () => {
  const { send } = await startWorld(undefined, { upstream: new URL('http://127.0.0.1:1') })
  const answer = await send('/v1/models', { headers: { 'X-Request-Id': 'mine' } })
  const body: unknown = JSON.parse(await textOf(answer))
  expect(answer.statusCode).toBe(502)
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': 'mine' })
  expect(answer.headers).not.toHaveProperty('x-should-retry')
  expect(isErrorBody(body)).toBe(true)
  expect(body).toMatchObject({ error: { type: 'upstream_error', code: 'backend_unavailable' } })
})

test('A router that hangs up without an answer is a 502 that must not be tried again', async () => {
  const { send } = await startWorld((request) => request.socket.destroy())
  const answer = await send('/v1/chat/completions', { method: 'POST', body: '{}' })
  expect(answer.statusCode).toBe(502)
  expect(answer.headers['x-should-retry']).toBe('false')
  expect(answer.headers['x-request-id']).toMatch(/^[\x21-\x7e]{1,128}$/)
})

test('After a 502 in the middle of a body the connection serves the next request', async () => {
  const { send } = await startWorld((request, response) => {
    if (request.method === 'POST') request.socket.destroy()
    else response.end('fine')
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const refused = await send('/v1/x', { agent, method: 'POST', body: 'x'.repeat(4 * 1024 * 1024) })
  expect(refused.statusCode).toBe(502)
  await textOf(refused)
  expect(await textOf(await send('/v1/models', { agent }))).toBe('fine')
})

test('A router that answers before it has read the body is heard, and the rest is not sent', async () => {
  const received = { bytes: 0 }
  const { send } = await startWorld((request, response) => {
    request.once('data', (part: Buffer) => {
      received.bytes = part.length
      request.pause()
    })
    response.writeHead(413, { 'Content-Type': 'application/json' }).end('{"error":{}}')
  })
  const body = 'x'.repeat(16 * 1024 * 1024)
  const answer = await send('/v1/chat/completions', { method: 'POST', body })
  expect(answer.statusCode).toBe(413)
  expect(await textOf(answer)).toBe('{"error":{}}')
  expect(received.bytes).toBeLessThan(body.length)
})

test('Connections to the router are kept for the next request', async () => {
  const ports = new Set<number | undefined>()
  const { send } = await startWorld((request, response) => {
    ports.add(request.socket.remotePort)
    response.end()
  })
  for (let turn = 0; turn < 5; turn += 1) {
    await textOf(await send('/v1/models', { agent: false }))
  }
  expect(ports.size).toBe(1)
})

test('HEAD and 304 have no body and keep their length', async () => {
  const { send } = await startWorld((request, response) => {
    response.writeHead(request.method === 'HEAD' ? 200 : 304, { 'Content-Length': '5', ETag: '"x"' }).end()
  })
  for (const method of ['HEAD', 'GET']) {
    const answer = await send('/v1/evidence', { method })
    expect(answer.headers).toMatchObject({ 'content-length': '5', etag: '"x"' })
    expect(await textOf(answer)).toBe('')
  }
})

function echoHeaders({ headers }: IncomingMessage, response: ServerResponse): void {
  response.end(JSON.stringify(headers))
}
