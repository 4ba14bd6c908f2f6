import { once } from 'node:events'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createAnswer } from '../answer.ts'
import { createApp } from '../app.ts'
import { ApiError } from '../errors.ts'
import { createHelp } from '../help.ts'
import { listen } from '../listen.ts'
import { createListener } from '../listener.ts'
import type { EndedRequest } from '../operations/recorder.ts'
import { createRequests } from '../operations/requests.ts'
import { createDirect } from './direct.ts'
import type { Handlers, RawHandler } from './handlers.ts'

const PATH = '/v1/chat/completions'
/** The same, so that only the application knows it. */
const SPELT_OTHERWISE = `${PATH}?x=1`

const answers: RawHandler = async ({ response, headers, trace }) => {
  trace.generationId = 'gen-1'
  headers['X-Router-Generation-Id'] = 'gen-1'
  response.writeHead(200, { ...headers, 'Content-Type': 'application/json' }).end('{}')
}

/** A router whose chats are answered by this handler, on both ways. */
async function start(chat: RawHandler) {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const requestEnded = vi.fn<(request: EndedRequest) => void>()
  const requests = createRequests({ log, requestEnded })
  const handlers = { createChatCompletion: chat, createCompletion: chat, createEmbedding: chat }
  const corsOrigins = () => ['https://app.example']
  const help = createHelp(() => 'https://docs.example')
  const world = { corsOrigins, requests, log, help, stalledMs: () => 60_000 }
  const app = createApp({ handlers: handlers as Handlers, findKey: vi.fn(), ...world })
  const fetch = vi.fn(app.fetch)
  const direct = createDirect({ handlers, ...world })
  const connections = { take: () => true }
  const server = createListener(createAnswer(fetch), undefined, undefined, connections, undefined, direct)
  onTestFinished(() => void server.close().closeAllConnections())
  const port = await listen(server, { host: '127.0.0.1', port: 0 })

  async function ask(path: string, headers: Record<string, string> = {}, method = 'POST') {
    const sent = request({ port, host: '127.0.0.1', path, method, headers: { host: 'x', ...headers } }).end()
    const [response] = await once(sent, 'response')
    const { date: _, ...told } = response.headers
    return { status: response.statusCode, headers: told, body: await json(response) }
  }
  return { ask, fetch, log, requestEnded }
}

const asked = { origin: 'https://app.example', 'x-request-id': 'mine', 'access-control-request-headers': 'a' }

test.each<[string, RawHandler]>([
  ['a success', answers],
  [
    'a refusal',
    async ({ headers }) => {
      headers['X-Router-Generation-Id'] = 'gen-1'
      throw new ApiError('overloaded', 'Later.', {
        headers: { 'Retry-After': '1', 'x-should-retry': 'true' },
      })
    },
  ],
  [
    'a mistake of our own',
    async () => {
      throw new Error('broken')
    },
  ],
])('%s is the same on the direct way as through the application', async (_, handler) => {
  const { ask, fetch, log, requestEnded } = await start(handler)
  const direct = await ask(PATH, asked)
  expect(fetch).not.toHaveBeenCalled()
  const usual = await ask(SPELT_OTHERWISE, asked)
  expect(fetch).toHaveBeenCalledOnce()
  expect(direct).toEqual(usual)
  expect(direct.headers).toMatchObject({
    'x-request-id': 'mine',
    'access-control-allow-origin': 'https://app.example',
    'access-control-allow-headers': 'a',
  })
  await vi.waitFor(() => expect(requestEnded).toHaveBeenCalledTimes(2))
  const [first, second] = requestEnded.mock.calls.map(([{ durationMs: _, ...ended }]) => ended)
  expect(first).toEqual(second)
  const [one, other] = log.error.mock.calls
  expect(one).toEqual(other)
})

test.each([
  ['another method', PATH, {}, 'PUT'],
  ['an encoded path', '/v1/chat%2Fcompletions', {}, 'POST'],
  ['a host that has to be looked at', PATH, { host: 'x:0' }, 'POST'],
  ['another route', '/v1/models/a', {}, 'POST'],
])('%s goes through the application', async (_, path, headers, method) => {
  const { ask, fetch } = await start(answers)
  await ask(path, headers, method)
  expect(fetch).toHaveBeenCalledOnce()
})

test('an answer that cannot be written closes its connection, and is told', async () => {
  const { ask, log } = await start(async () => {
    throw new ApiError('overloaded', 'No.', { headers: { 'Retry-After': 'a\nb', 'x-should-retry': 'true' } })
  })
  await expect(ask(PATH)).rejects.toThrow()
  expect(log.error).toHaveBeenCalledWith('an answer could not be written', expect.anything())
})

test('what fails in the midst of an answer cuts it off', async () => {
  const { ask, requestEnded } = await start(async ({ response }) => {
    response.writeHead(200, { 'Content-Length': '10' }).write('begun')
    throw new Error('broken')
  })
  await expect(ask(PATH)).rejects.toThrow()
  await vi.waitFor(() => expect(requestEnded).toHaveBeenCalledWith(expect.objectContaining({ status: 200 })))
})
