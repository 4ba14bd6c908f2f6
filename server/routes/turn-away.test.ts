import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createAnswer } from '../answer.ts'
import { createHelp } from '../help.ts'
import type { KeyRates } from '../limits/key-rates.ts'
import { listen } from '../listen.ts'
import { createListener } from '../listener.ts'
import { Overload } from '../overload/overload.ts'
import { ParseTurns } from '../parsing/parse-turns.ts'
import { createTurnAway } from './turn-away.ts'

const key = `sk-tee-v1-${'A'.repeat(43)}`
const owner = { workspaceId: 'ws_1' } as KeyRates

type World = Awaited<ReturnType<typeof start>>

/** A server that answers 200 to whoever is not turned away; one request of `ws_1` is in hand. */
async function start() {
  const overload = new Overload({ most: () => 1 })
  const place = overload.enter('127.0.0.1', 'ws_1')
  const drain = { isDraining: false }
  const ownerOf = vi.fn((): KeyRates | undefined => owner)
  const world = { requestEnded: vi.fn(), log: { warn: vi.fn() }, ownerOf, drain }
  const turnAway = createTurnAway({
    ...world,
    help: createHelp(() => 'https://docs.example'),
    overload,
    sourceAddressOf: () => '127.0.0.1',
    corsOrigins: () => ['https://app.example'],
    isDraining: () => drain.isDraining,
  })
  const turns = new ParseTurns(undefined, turnAway.familiar)
  const connections = { take: () => true }
  const server = createListener(
    createAnswer(() => new Response('taken')),
    undefined,
    turns,
    connections,
    turnAway.parsed,
  )
  onTestFinished(() => void server.close().closeAllConnections())
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const base = `http://127.0.0.1:${port}`
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${base}${path}`, { method: 'POST', body: '{}', ...init })
  return { ...world, place, port, ask }
}

const authorization = `Bearer ${key}`

test('a request that is one too many has the form of any refusal, and counts', async () => {
  const { ask, requestEnded } = await start()
  const headers = { authorization, origin: 'https://app.example', 'x-request-id': 'mine' }
  const response = await ask('/v1/embeddings', { headers })
  expect(response.status).toBe(503)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json',
    'retry-after': '1',
    'x-should-retry': 'true',
    'x-request-id': 'mine',
    'access-control-allow-origin': 'https://app.example',
    link: '<https://docs.example/errors/overloaded.html>; rel="help"',
  })
  expect(await response.json()).toEqual({
    error: { message: expect.any(String), type: 'server_error', code: 'overloaded' },
  })
  const [ended] = requestEnded.mock.calls[0]!
  expect(ended).toMatchObject({ method: 'POST', route: '/v1/embeddings', status: 503, code: 'overloaded' })
})

test.each([
  ['asks for something else', '/v1/models', { headers: { authorization } }],
  ['has a key of the wrong form', '/v1/chat/completions', { headers: { authorization: 'Bearer x' } }],
  ['has no key', '/v1/chat/completions', {}],
  ['is a preflight', '/v1/chat/completions', { method: 'OPTIONS', body: null, headers: { authorization } }],
] as const)('one that %s is left to others', async (_, path, init) => {
  const { ask } = await start()
  expect(await (await ask(path, init)).text()).toBe('taken')
})

test('while there is room, nothing is looked at', async () => {
  const { ask, place, ownerOf } = await start()
  place.leave()
  expect(await (await ask('/v1/chat/completions', { headers: { authorization } })).text()).toBe('taken')
  expect(ownerOf).not.toHaveBeenCalled()
})

test('many that are turned away have a line a second, which names whose were the most', async () => {
  const { ask, log, ownerOf } = await start()
  for (let count = 0; count < 5; count++) await ask('/v1/chat/completions', { headers: { authorization } })
  ownerOf.mockReturnValue({ workspaceId: 'ws_2' } as KeyRates)
  await ask('/v1/chat/completions', { headers: { authorization } })
  const lines = (): { count: number; workspaceId: string }[] =>
    log.warn.mock.calls.map(([, fields]) => fields)
  await vi.waitFor(() => expect(lines().reduce((sum, { count }) => sum + count, 0)).toBe(6), 60_000)
  expect(lines().length).toBeLessThan(6)
  expect(log.warn.mock.calls[0]).toMatchObject([
    'too many requests',
    { code: 'overloaded', workspaceId: 'ws_1' },
  ])
})

/** Sends requests on one connection, one after the other; of all connections it tells which requests Node's parser has read. */
async function connection(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const parsed: boolean[] = []
  const follow = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    response.once('prefinish', () => parsed.push(request.complete))
  }
  subscribe('http.server.request.start', follow)
  onTestFinished(() => void unsubscribe('http.server.request.start', follow))
  const send = async (request: string): Promise<string> => {
    socket.write(request)
    const [answer] = await once(socket, 'data')
    return String(answer)
  }
  return { socket, parsed, send }
}

const request = (body: string, more = '', path = '/v1/embeddings') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`

test('a body that came with its head is read before the answer, so that its connection serves on', async () => {
  const { port } = await start()
  const { send, parsed } = await connection(port)
  for (const path of ['/v1/embeddings', '/v1/completions', '/v1/chat/completions'])
    expect(await send(request('{}', '', path))).toMatch(/^HTTP\/1\.1 503 /)
  expect(parsed).toEqual([true, true, true])
})

/** What differs from answer to answer. */
const alike = (answer: string) =>
  answer.replace(/req-\w{26}/, 'req-').replace(/Date: \w{3}, [\w: ]{20} GMT/, 'Date:')

test('one like another that was turned away gets the same answer, without being parsed', async () => {
  const { port, requestEnded } = await start()
  const { send, parsed } = await connection(port)
  const first = await send(request('{"a":1}'))
  const again = await send(request('{"b":22}'))
  expect(alike(again)).toBe(alike(first))
  expect(again).not.toBe(first)
  expect(parsed).toEqual([true])
  const [one, other] = requestEnded.mock.calls.map(([ended]) => ({ ...ended, durationMs: 0 }))
  expect(other).toEqual(one)
})

test.each([
  ['has another head', request('{}', 'X-Other: 1\r\n')],
  ['asks for something else', request('{}', '', '/v1/completions')],
])('one that %s is parsed', async (_, other) => {
  const { port } = await start()
  const { send, parsed } = await connection(port)
  await send(request('{}'))
  expect(await send(other)).toMatch(/^HTTP\/1\.1 503 /)
  expect(parsed).toEqual([true, true])
})

test.each([
  ['comes with a part of the next one', `${request('{}')}POST /v1/`],
  ['has no body', request('')],
  ['brings an id', request('{}', 'X-Request-Id: mine\r\n')],
  ['comes from a page', request('{}', 'Origin: https://app.example\r\n')],
])('one that %s is parsed, each time', async (_, other) => {
  const { port } = await start()
  for (let count = 1; count <= 2; count++) {
    // Half of another request has come on the connection before.
    const { send, parsed } = await connection(port)
    await send(request('{}', 'X-First: 1\r\n'))
    parsed.length = 0
    expect(await send(other)).toMatch(/^HTTP\/1\.1 503 /)
    expect(parsed).toEqual([true])
  }
})

test('one that asks to be the last of its connection is', async () => {
  const { port } = await start()
  const last = request('{}', 'Proxy-Connection: close\r\n')
  for (let count = 1; count <= 2; count++) {
    const { socket, send, parsed } = await connection(port)
    await send(request('{}'))
    parsed.length = 0
    expect(await send(last)).toMatch(/\r\nConnection: close\r\n/)
    expect(parsed).toEqual([true])
    if (!socket.readableEnded) await once(socket, 'end')
  }
})

test('nothing is learnt of one whose key is not known', async () => {
  const { port, ownerOf } = await start()
  const { send, parsed } = await connection(port)
  ownerOf.mockReturnValueOnce(undefined)
  await send(request('{}'))
  await send(request('{}'))
  expect(parsed).toHaveLength(2)
  await send(request('{}'))
  expect(parsed).toHaveLength(2)
})

test('while the router stops, the answer to a body that still comes is one of a connection that is read on', async () => {
  const { port, drain } = await start()
  drain.isDraining = true
  const { send } = await connection(port)
  expect(await send(request('{}').slice(0, -1))).toMatch(/^HTTP\/1\.1 503 .*\r\nConnection: keep-alive\r\n/s)
})

test('one whose body comes later is parsed, and so is the first of a connection', async () => {
  const { port } = await start()
  const { socket, send, parsed } = await connection(port)
  await send(request('{}'))
  const whole = request('{}')
  socket.write(whole.slice(0, -1))
  await once(socket, 'data')
  socket.write('}')
  const another = await connection(port)
  await another.send(whole)
  expect(parsed).toHaveLength(3)
})

test.each([
  ['there is room', ({ place }: World) => place.leave(), /^HTTP\/1\.1 200 /],
  ['its key is not known any more', ({ ownerOf }: World) => ownerOf.mockReturnValue(undefined), / 503 /],
  [
    'the router is about to stop',
    ({ drain }: World) => (drain.isDraining = true),
    /\r\nConnection: close\r\n/,
  ],
])('where %s, one that is familiar is parsed', async (_, change, expected) => {
  const world = await start()
  const { send, parsed } = await connection(world.port)
  await send(request('{}'))
  change(world)
  expect(await send(request('{}'))).toMatch(expected)
  expect(parsed).toHaveLength(2)
})
