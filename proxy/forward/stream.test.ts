import { once } from 'node:events'
import { Agent } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { quickest } from '../../tests/pace.ts'
import { ask, closeWorlds, eventStream, openRequest, readAll, send, startWorld } from '../testing/world.ts'

afterEach(closeWorlds)

test('each chunk of a stream is handed on before the next is sent', async () => {
  const stream = eventStream()
  const world = await startWorld({ script: stream.script })
  const response = await send(world, { method: 'POST', body: '{}' })
  expect(response.headers['content-type']).toBe('text/event-stream')
  for (const text of [
    ': ping\n\n',
    'data: {"a":1}\n\n',
    'data: {"b":2}\n\ndata: 3\n\n',
    'data: [DONE]\n\n',
  ]) {
    const arrived = once(response, 'data')
    stream.write(text)
    expect(String((await arrived)[0])).toBe(text)
  }
  stream.end()
  await once(response.resume(), 'end')
})

test('an event is handed on as soon as it is whole, and no sooner', async () => {
  const stream = eventStream()
  const world = await startWorld({ script: stream.script })
  const response = await send(world, { method: 'POST', body: '{}' })
  const pieces: string[] = []
  response.on('data', (bytes) => pieces.push(String(bytes)))
  stream.write('data: {"a":1}\n\ndata: {"b')
  await vi.waitFor(() => expect(pieces).toEqual(['data: {"a":1}\n\n']))
  stream.write('":2}\n')
  stream.write('\n')
  await vi.waitFor(() => expect(pieces.slice(1).join('')).toBe('data: {"b":2}\n\n'))
  stream.end()
  await once(response, 'end')
})

const endings: [string, string][] = [
  ['an unfinished event', 'data: 1\n\ndata: half'],
  ['a [DONE] without its empty line', 'data: 1\n\ndata: [DONE]\n'],
  ['a [DONE] without its line end', 'data: 1\n\ndata: [DONE]'],
  ['no event at all', 'nothing of the kind'],
]

test.each(endings)('a stream that properly ends with %s is passed on as it is', async (_, text) => {
  const stream = eventStream()
  const world = await startWorld({ script: stream.script })
  const response = await send(world)
  const whole = readAll(response)
  stream.write(text)
  stream.end()
  expect(await whole).toBe(text)
  expect(response.complete).toBe(true)
})

test('a stream that is packed passes as it comes, for nobody can see its events', async () => {
  const world = await startWorld({
    script: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      response.write('half an event')
    },
  })
  const response = await send(world)
  expect(String((await once(response, 'data'))[0])).toBe('half an event')
  response.destroy()
})

test('an event beyond all bounds ends the stream with an error, without a byte of it', async () => {
  const world = await startWorld({
    script: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\ndata: ')
      const piece = Buffer.alloc(65_536, 'x')
      const fill = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', fill)
      fill()
    },
  })
  const { text } = await ask(world)
  expect(text).toMatch(/^data: 1\n\ndata: \{"error":.*"backend_error".*\}\n\ndata: \[DONE\]\n\n$/)
  await vi.waitFor(() => expect(world.gateway.open.size).toBe(0))
})

test('the head of an answer does not wait for its body', async () => {
  const world = await startWorld({ script: (_, response) => response.writeHead(200).flushHeaders() })
  expect((await send(world)).statusCode).toBe(200)
})

test('each piece of a request is handed on before the next is sent', async () => {
  const world = await startWorld({
    script: (request, response) => {
      response.writeHead(200)
      request.pipe(response)
    },
  })
  const request = openRequest(world, { method: 'POST' })
  const answered = once(request, 'response')
  request.write('first')
  const [response] = await answered
  expect(String((await once(response, 'data'))[0])).toBe('first')
  for (const text of ['second', 'third']) {
    const arrived = once(response, 'data')
    request.write(text)
    expect(String((await arrived)[0])).toBe(text)
  }
  request.end()
  await once(response.resume(), 'end')
})

test('a large body arrives whole, both ways', async () => {
  const body = Buffer.alloc(8_000_000, 'x')
  const world = await startWorld({ script: (request, response) => void request.pipe(response) })
  const { text } = await ask(world, { method: 'POST', body })
  expect(text.length).toBe(body.length)
})

test('a reader that stops slows its stream down instead of filling memory', async () => {
  let sent = 0
  const world = await startWorld({
    script: (_, response) => {
      const piece = Buffer.alloc(65_536)
      const fill = () => {
        while (!response.destroyed) {
          sent += piece.length
          if (!response.write(piece)) return
        }
      }
      response.on('drain', fill).writeHead(200)
      fill()
    },
  })
  const response = await send(world)
  let seen = -1
  await vi.waitFor(
    () => {
      const before = seen
      seen = sent
      expect(sent).toBe(before)
    },
    { interval: 100 },
  )
  expect(sent).toBeLessThan(32_000_000)
  response.on('data', () => {})
  await vi.waitFor(() => expect(sent).toBeGreaterThan(seen + 10_000_000))
  response.destroy()
})

const moments: [string, (response: import('node:http').ServerResponse) => void][] = [
  ['while the head is awaited', () => {}],
  [
    'before the first token',
    (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
  ],
  ['in the middle of a stream', (response) => void response.writeHead(200).write('data: 1\n\n')],
]

test.each(moments)('a client that leaves %s is gone upstream within 250 ms (M-10)', async (_, script) => {
  const leaveOnce = async () => {
    const world = await startWorld({ script: (_, response) => script(response) })
    const request = openRequest(world, { method: 'POST' })
    request.end('{}')
    await vi.waitFor(() => expect(world.gateway.requests).toHaveLength(1))
    await turn()
    const leftAt = performance.now()
    request.destroy()
    await vi.waitFor(() => expect(world.gateway.open.size).toBe(0), { interval: 5 })
    const tookMs = performance.now() - leftAt
    expect(world.gateway.accepted).toBe(1)
    return tookMs
  }
  expect(await quickest(250, leaveOnce)).toBeLessThan(250)
})

test('a client that leaves while it sends takes its upstream request along', async () => {
  const world = await startWorld({ script: () => {} })
  const request = openRequest(world, { method: 'POST', headers: { 'content-length': '1000' } })
  request.write('half')
  await vi.waitFor(() => expect(world.gateway.requests).toHaveLength(1))
  request.destroy()
  await vi.waitFor(() => expect(world.gateway.open.size).toBe(0))
})

test('an upstream that refuses early is heard, and the client’s connection lives', async () => {
  const world = await startWorld({ script: (_, response) => void response.writeHead(413).end('{}') })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const reply = await ask(world, { method: 'POST', body: Buffer.alloc(4_000_000), agent })
  expect(reply).toMatchObject({ status: 413, headers: { 'x-proxy-verdict': 'allow' } })
  world.gateway.answer((_, response) => void response.end('fine'))
  expect((await ask(world, { agent })).text).toBe('fine')
  agent.destroy()
})
