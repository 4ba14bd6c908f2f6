import { once } from 'node:events'
import {
  type Agent,
  type ClientRequest,
  createServer,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Agents, createAgents } from './agents.ts'

let server: Server
let agents: Agents
let connections: number
/** Those that requests were made with, in their order. */
let used: Agent[]
/** Answers that wait for their test. */
let held: ServerResponse[]

beforeEach(async () => {
  connections = 0
  used = []
  held = []
  server = createServer((_, response) => held.push(response))
  server.on('connection', () => {
    connections += 1
  })
  await once(server.listen({ host: '127.0.0.1', port: 0, backlog: 1_024 }), 'listening')
  agents = createAgents(false, 20_000)
})

afterEach(() => {
  agents.close()
  server.closeAllConnections()
  server.close()
})

/** Begins so many requests; resolves once all of them have been heard. */
async function begin(count: number): Promise<ClientRequest[]> {
  const { port } = server.address() as AddressInfo
  const made = Array.from({ length: count }, () =>
    agents
      .use((agent) => {
        used.push(agent)
        return request({ host: '127.0.0.1', port, agent })
      })
      .end(),
  )
  for (const one of made) one.on('response', (answer) => answer.resume()).on('error', () => {})
  await expect.poll(() => held.length).toBe(count)
  return made
}

const areClosed = (made: readonly ClientRequest[]) =>
  Promise.all(made.map((one) => new Promise((resolve) => one.once('close', resolve))))

async function end(made: readonly ClientRequest[]): Promise<void> {
  const closed = areClosed(made)
  for (const response of held.splice(0)) response.end()
  await closed
}

test('as many connections are opened as requests run at once, and all of them are used again', async () => {
  for (let turn = 0; turn < 3; turn += 1) await end(await begin(300))
  expect(connections).toBe(300)
  await end(await begin(1))
  await end(await begin(1))
  expect(connections).toBe(300)
  expect(new Set(used).size).toBe(3)
})

test('what was given up makes room for others', async () => {
  const made = await begin(300)
  const closed = areClosed(made)
  for (const one of made) one.destroy()
  await closed
  held.length = 0
  await end(await begin(1))
  expect(used.at(-1)).toBe(used[0])
})
