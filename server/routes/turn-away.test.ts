import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createHelp } from '../help.ts'
import type { KeyRates } from '../limits/key-rates.ts'
import { listen } from '../listen.ts'
import { createListener } from '../listener.ts'
import { Overload } from '../overload/overload.ts'
import { createTurnAway } from './turn-away.ts'

const key = `sk-tee-v1-${'A'.repeat(43)}`
const owner = { workspaceId: 'ws_1' } as KeyRates

/** A server that answers 200 to whoever is not turned away; one request of `ws_1` is in hand. */
async function start() {
  const overload = new Overload({ most: () => 1 })
  const place = overload.enter('127.0.0.1', 'ws_1')
  const world = { requestEnded: vi.fn(), log: { warn: vi.fn() }, ownerOf: vi.fn(() => owner) }
  const turnAway = createTurnAway({
    ...world,
    help: createHelp(() => 'https://docs.example'),
    overload,
    sourceAddressOf: () => '127.0.0.1',
    corsOrigins: () => ['https://app.example'],
  })
  const connections = { take: () => true }
  const server = createListener(() => new Response('taken'), undefined, undefined, connections, turnAway)
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

test('a body that came with its head is read before the answer, so that its connection serves on', async () => {
  const { port } = await start()
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const seen: boolean[] = []
  const follow = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    response.once('prefinish', () => seen.push(request.complete))
  }
  subscribe('http.server.request.start', follow)
  onTestFinished(() => void unsubscribe('http.server.request.start', follow))
  const request = `POST /v1/embeddings HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-length: 2\r\n\r\n{}`
  for (let count = 1; count <= 3; count++) {
    socket.write(request)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 503 /)
  }
  expect(seen).toEqual([true, true, true])
})
