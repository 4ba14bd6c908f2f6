import { Agent, createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { listenWidely } from '#base/listening.ts'
import { ApiError } from '../errors.ts'
import { createDrain, passes } from './drain.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

/** A server that answers when the test says so. */
async function startServer() {
  const waiting: ServerResponse[] = []
  const server = createServer((_, response) => waiting.push(response))
  servers.push(server)
  const listening = await listenWidely(server, { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${listening.port}/`
  const ask = (agent: Agent | false = false) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { agent }, (response) => resolve(response.resume())).on('error', reject)
    })
  return { listening, server, waiting, ask }
}

test('new connections are taken until load balancers have had time to notice, and refused from then on', async () => {
  const { listening, server, waiting, ask } = await startServer()
  const drain = createDrain({ notReadyMs: 1_500, drainMs: 60_000 })
  expect(drain.isDraining).toBe(false)
  const over = drain.run(listening)
  expect(drain.isDraining).toBe(true)
  const late = ask()
  await vi.waitUntil(() => waiting.length === 1)
  await vi.waitUntil(() => !server.listening)
  await expect(ask()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  waiting[0]!.end('done')
  expect((await late).statusCode).toBe(200)
  await over
  expect(drain.signal.aborted).toBe(true)
})

test('at the deadline what still runs is told', async () => {
  const { listening, waiting, ask } = await startServer()
  const drain = createDrain({ notReadyMs: 0, drainMs: 50 })
  const running = ask()
  await vi.waitUntil(() => waiting.length === 1)
  drain.signal.addEventListener('abort', () => waiting[0]!.writeHead(500).end())
  await drain.run(listening)
  expect((await running).statusCode).toBe(500)
  const reason = drain.signal.reason as ApiError
  expect(reason).toBeInstanceOf(ApiError)
  expect(reason).toMatchObject({ code: 'internal' })
})

test('connections on which nothing is asked do not delay a stop', async () => {
  const { listening, waiting, ask } = await startServer()
  const agent = new Agent({ keepAlive: true })
  const answered = ask(agent)
  await vi.waitUntil(() => waiting.length === 1)
  waiting[0]!.end()
  await answered
  const begun = performance.now()
  await createDrain({ notReadyMs: 0, drainMs: 60_000 }).run(listening)
  expect(performance.now() - begun).toBeLessThan(10_000)
})

test('an event that comes in time ends the wait, and one that does not is not waited for', async () => {
  const begun = performance.now()
  await passes(Promise.resolve(), 60_000)
  await passes(new Promise(() => {}), 20)
  expect(performance.now() - begun).toBeLessThan(10_000)
})
