import { Agent, type ServerResponse } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { createIdentity } from '#egress/testing/identity.ts'
import { ask, closeWorlds, readAll, secondIdentity, send, startWorld } from '../testing/world.ts'

afterEach(closeWorlds)

const STREAMS = 20
const CLIENTS = 10

test('rotations under 20 streams and 10 looping clients break no stream and refuse nobody', async () => {
  const streams: ServerResponse[] = []
  const world = await startWorld({
    script: (request, response) => {
      if (request.url !== '/v1/stream') return response.end('{}')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 0\n\n')
      return streams.push(response)
    },
  })
  const opened = Array.from({ length: STREAMS }, () => send(world, { path: '/v1/stream' }))
  const texts = (await Promise.all(opened)).map(readAll)

  let isOver = false
  const statuses: number[] = []
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    const agent = new Agent({ keepAlive: index % 2 === 0 })
    while (!isOver) statuses.push((await ask(world, { method: 'POST', body: '{}', agent })).status)
    agent.destroy()
  })
  for (const identity of [secondIdentity, createIdentity(), createIdentity()]) {
    const before = statuses.length
    world.rotate(identity)
    await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(before + 200), { timeout: 5_000 })
  }
  isOver = true
  await Promise.all(clients)

  for (const response of streams) response.end('data: [DONE]\n\n')
  for (const text of await Promise.all(texts)) expect(text).toBe('data: 0\n\ndata: [DONE]\n\n')
  expect(new Set(statuses)).toEqual(new Set([200]))
})
