import { once } from 'node:events'
import { Agent } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import {
  ask,
  closeWorlds,
  eventStream,
  firstIdentity,
  openRequest,
  readAll,
  send,
  startWorld,
} from '../testing/world.ts'

afterEach(closeWorlds)

test('a connection that its server has closed meanwhile is replaced, and nothing is sent twice (T-03)', async () => {
  const world = await startWorld()
  await ask(world)
  for (const { socket } of world.gateway.connections) socket.destroy()
  expect((await ask(world, { method: 'POST', body: '{}' })).status).toBe(200)
  expect(world.gateway.requests).toHaveLength(2)
})

test('an upstream that cannot be reached is a 502 without a verdict, which may be tried again', async () => {
  const world = await startWorld()
  await world.gateway.close()
  const { status, headers, text } = await ask(world, { headers: { 'X-Request-Id': 'mine' } })
  expect(status).toBe(502)
  expect(JSON.parse(text)).toEqual({
    error: { message: expect.any(String), type: 'upstream_error', code: 'backend_unavailable' },
  })
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': 'mine' })
  expect(headers).not.toHaveProperty('x-proxy-verdict')
  expect(headers).not.toHaveProperty('x-should-retry')
})

test('an upstream that hangs up on a request is a 502 that must not be tried again, and it is sent once', async () => {
  const world = await startWorld({ script: (request) => void request.socket.destroy() })
  const { status, headers } = await ask(world)
  expect(status).toBe(502)
  expect(headers['x-should-retry']).toBe('false')
  expect(world.gateway.requests).toHaveLength(1)
})

test('a client whose upload is cut short upstream is told so, on a connection that lives', async () => {
  const world = await startWorld({
    script: (request) => void request.once('data', () => request.socket.destroy()),
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const upload = openRequest(world, { method: 'POST', agent })
  const refused = once(upload, 'response')
  upload.end(Buffer.alloc(16_000_000))
  const [refusal] = await refused
  expect(refusal).toMatchObject({ statusCode: 502, headers: { 'x-should-retry': 'false' } })
  await readAll(refusal)
  world.gateway.answer((_, response) => void response.end('fine'))
  const next = openRequest(world, { agent })
  const answered = once(next, 'response')
  next.end()
  await answered
  expect(next.socket).toBe(upload.socket)
  agent.destroy()
})

const breaks: [string, string, string][] = [
  ['between two events', 'data: {"a":1}\n\n', 'data: {"a":1}\n\n'],
  ['within an event', 'data: {"a":1}\n\ndata: {"b', 'data: {"a":1}\n\n'],
  ['between the line ends of an event', 'data: {"a":1}\n\ndata: {"b":2}\n', 'data: {"a":1}\n\n'],
  ['after a comment', 'data: {"a":1}\n\n: ping\n', 'data: {"a":1}\n\n: ping\n'],
]

test.each(breaks)(
  'a stream that breaks off %s ends with an error event and [DONE]',
  async (_, written, passedOn) => {
    const stream = eventStream()
    const world = await startWorld({ script: stream.script })
    const response = await send(world)
    const text = readAll(response)
    const arrived = once(response, 'data')
    stream.write(written)
    await arrived
    stream.cut()
    const [event, done] = (await text).slice(passedOn.length).split('\n\n')
    expect((await text).startsWith(passedOn)).toBe(true)
    expect(JSON.parse(event!.slice('data: '.length))).toMatchObject({
      error: { code: 'backend_unavailable' },
    })
    expect(done).toBe('data: [DONE]')
  },
)

test('a stream whose connection is lost after [DONE] is complete', async () => {
  const stream = eventStream()
  const world = await startWorld({ script: stream.script })
  const response = await send(world)
  const text = readAll(response)
  const arrived = once(response, 'data')
  stream.write('data: 1\n\ndata: [DONE]\n\n')
  await arrived
  stream.cut()
  expect(await text).toBe('data: 1\n\ndata: [DONE]\n\n')
  expect(response.complete).toBe(true)
})

test.each(['Connection: close', 'Transfer-Encoding: identity', 'Transfer-Encoding: chunked, identity'])(
  'a stream that only the end of its connection ends (%s) is not taken for complete',
  async (field) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${field}\r\n\r\n`
    const world = await startWorld({ script: ({ socket }) => void socket.end(`${head}data: 1\n\n`) })
    expect((await ask(world)).text).toMatch(/^data: 1\n\ndata: \{"error".*\}\n\ndata: \[DONE\]\n\n$/)
  },
)

/** The proxy's error event, and more than all that is written here. */
const LENGTHS = ['60', '6000']
const told = /^data: 1\n\ndata: \{"error".*\}\n\ndata: \[DONE\]\n\n$/

test.each(
  LENGTHS.flatMap((length): [string, string, RegExp][] => [
    [length, 'data: 1\n\n', told],
    [length, 'data: 1\n\ndata: {"b', told],
    [length, 'data: [DONE]\n\n', /^data: \[DONE\]\n\n$/],
  ]),
)(
  'a stream of a length of %s that breaks off behind %j leaves its connection to the next',
  async (length, written, passedOn) => {
    const world = await startWorld({
      script: ({ url }, response) => {
        if (url === '/v1/next') return void response.end('next')
        response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': length })
        response.write(written, () => response.socket?.destroy())
      },
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const first = await ask(world, { agent })
    expect(first.text).toMatch(passedOn)
    expect(first.headers).not.toHaveProperty('content-length')
    expect(await ask(world, { agent, path: '/v1/next' })).toMatchObject({ status: 200, text: 'next' })
    agent.destroy()
  },
)

test('a HEAD of a stream tells its length', async () => {
  const world = await startWorld({
    script: (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': '60' }).end(),
  })
  const { status, headers, text } = await ask(world, { method: 'HEAD' })
  expect({ status, length: headers['content-length'], text }).toEqual({ status: 200, length: '60', text: '' })
})

test('a whole answer that breaks off is seen to be cut', async () => {
  const world = await startWorld({
    script: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"half":', () => response.socket?.destroy())
    },
  })
  const response = await send(world)
  expect(await readAll(response)).toBe('{"half":')
  expect(response.complete).toBe(false)
})

test('a proxy that stops lets what runs end, and tells the rest', async () => {
  const stream = eventStream()
  const world = await startWorld({ script: stream.script, drainMs: 200 })
  const response = await send(world)
  const text = readAll(response)
  stream.write('data: 1\n\n')
  await world.stop()
  expect(await text).toMatch(/data: \{"error".*\}\n\ndata: \[DONE\]\n\n$/)
  expect(world.gateway.connections[0]?.leaf).toBe(firstIdentity.fingerprint)
})
