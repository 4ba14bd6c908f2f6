import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createClient, IncompleteStreamError, RouterError, streamChat } from '#contract'

const request = { model: 'demo/tiny-chat', messages: [{ role: 'user', content: 'Hello' }] }
const error = { message: 'The backend is gone.', type: 'upstream_error', code: 'backend_unavailable' }
const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const whole = `: ping\n\n${event('Grüße')}${event(', ')}: ping\n\n${event('🌍')}data: [DONE]\n\n`

test.each([
  ['line feeds', whole],
  ['carriage returns', whole.replaceAll('\n', '\r')],
  ['both', whole.replaceAll('\n', '\r\n')],
  ['no space after the colon', whole.replaceAll('data: ', 'data:')],
  ['a mark at its start', `\uFEFF${whole}`],
  ['names and ids', whole.replaceAll('data:', 'event: message\nid: 7\ndata:')],
])('a stream with %s is read the same whatever its split', async (_, stream) => {
  const bytes = Buffer.from(stream)
  for (const size of [1, 2, 3, 7, bytes.length]) {
    expect(await textOf(await serve((response) => sendIn(response, bytes, size)))).toBe('Grüße, 🌍')
  }
})

test('data over several lines is one event', async () => {
  const address = await serve((response) =>
    response.end('data: {"choices":[{"index":0,\ndata: "delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n'),
  )
  expect(await textOf(address)).toBe('a')
})

test('what comes after the end is not read', async () => {
  expect(await textOf(await serve((response) => response.end(`${whole}${event('more')}`)))).toBe('Grüße, 🌍')
})

test('the request asks for a stream and carries the key', async () => {
  let seen: unknown
  const address = await serve((response, body, headers) => {
    seen = { ...JSON.parse(body), authorization: headers.authorization, url: headers['x-url'] }
    response.end(whole)
  })
  await textOf(address)
  expect(seen).toEqual({
    ...request,
    stream: true,
    authorization: 'Bearer sk-test',
    url: '/v1/chat/completions',
  })
})

test('an error event is thrown, after the chunks before it', async () => {
  const address = await serve((response) =>
    response.end(`${event('a')}data: ${JSON.stringify({ error })}\n\ndata: [DONE]\n\n`),
  )
  const chunks: unknown[] = []
  const reading = collect(address, chunks)
  await expect(reading).rejects.toMatchObject({
    name: 'RouterError',
    code: 'backend_unavailable',
    status: undefined,
  })
  expect(chunks).toHaveLength(1)
})

test('a refusal is thrown with its status, its code and the names of request and stage', async () => {
  const refusal = {
    error: { ...error, type: 'proxy_error', code: 'attestation_failed' },
    stage: 'jws',
    reason: 'bundle_stale',
  }
  const address = await serve((response) =>
    response
      .writeHead(503, { 'content-type': 'application/json', 'x-request-id': 'r1' })
      .end(JSON.stringify(refusal)),
  )
  const thrown = await textOf(address).catch((one: unknown) => one)
  expect(thrown).toBeInstanceOf(RouterError)
  const { stage, reason } = refusal
  expect(thrown).toMatchObject({ status: 503, code: 'attestation_failed', stage, reason, requestId: 'r1' })
})

test('a refusal in another shape is an error all the same', async () => {
  const address = await serve((response) => response.writeHead(502).end('<html>Bad gateway</html>'))
  await expect(textOf(address)).rejects.toMatchObject({ name: 'RouterError', status: 502, code: 'unknown' })
})

test.each([
  ['ends early', event('a')],
  ['ends within its last event', `${event('a')}data: [DONE]`],
  ['holds what is not JSON', 'data: {"choices"\n\n'],
  ['is empty', ''],
])('a stream that %s is not taken for whole', async (_, stream) => {
  const address = await serve((response) => response.end(stream))
  await expect(textOf(address)).rejects.toBeInstanceOf(IncompleteStreamError)
})

test('an event without end is not gathered for ever', async () => {
  const address = await serve((response) => response.end(`data: ${'x'.repeat(1_200_000)}`))
  await expect(textOf(address)).rejects.toThrow('too large')
})

test('leaving the loop closes the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const address = await serve((response) => {
    response.on('close', () => closed.resolve())
    response.write(event('a'))
  })
  for await (const _ of streamChat(address, request)) break
  await closed.promise
})

test('a signal ends the waiting', async () => {
  const abort = new AbortController()
  const address = await serve((response) => response.write(event('a')))
  const reading = (async () => {
    for await (const _ of streamChat(createClient(address), request, abort)) abort.abort()
  })()
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
})

test('the client gives typed data and typed errors', async () => {
  const address = await serve((response) =>
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error })),
  )
  const {
    data,
    error: refusal,
    response,
  } = await createClient(address).GET('/models/{id}', {
    params: { path: { id: 'demo/tiny-chat' } },
  })
  expect(data).toBeUndefined()
  expect(refusal?.error.message).toBe(error.message)
  expect(response.url).toMatch(/\/v1\/models\/demo%2Ftiny-chat$/)
})

type Answer = (response: ServerResponse, body: string, headers: NodeJS.Dict<string | string[]>) => unknown

/** A server with one answer to everything; gives what a client needs to reach it. */
async function serve(answer: Answer): Promise<{ baseUrl: string; apiKey: string }> {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = await incoming.toArray()
    response.setHeader('content-type', 'text/event-stream')
    answer(response, Buffer.concat(chunks).toString(), { ...incoming.headers, 'x-url': incoming.url })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`, apiKey: 'sk-test' }
}

async function sendIn(response: ServerResponse, bytes: Buffer, size: number): Promise<void> {
  for (let start = 0; start < bytes.length; start += size) {
    response.write(bytes.subarray(start, start + size))
    await new Promise(setImmediate)
  }
  response.end()
}

async function collect(address: { baseUrl: string }, chunks: unknown[]): Promise<void> {
  for await (const chunk of streamChat(address, request)) chunks.push(chunk)
}

async function textOf(address: { baseUrl: string; apiKey: string }): Promise<string> {
  let text = ''
  for await (const chunk of streamChat(address, request)) text += chunk.choices[0]?.delta.content ?? ''
  return text
}

function event(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
}
