import { Agent, type ServerResponse } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { UnfinishedFetch } from '#egress/evidence/fetch.ts'
import { createIdentity } from '#egress/testing/identity.ts'
import { ask, closeWorlds, openRequest, readAll, secondIdentity, send, startWorld } from '../testing/world.ts'

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

test('clients that leave in the middle of a body, while their requests wait, take nobody along', async () => {
  // No connection is left, so that no request goes out on one whose end has not been seen yet.
  const world = await startWorld({
    script: (_, response) => void response.writeHead(200, { connection: 'close' }).end('{}'),
  })
  expect((await ask(world)).status).toBe(200)
  const thrown: unknown[] = []
  const onThrown = (error: unknown) => void thrown.push(error)
  process.prependListener('uncaughtException', onThrown)
  // Somebody else answers in the endpoint's place; the verdict on it stands.
  world.gateway.rotate(secondIdentity)
  world.judge({ kind: 'unfinished', ground: new UnfinishedFetch('unreachable') })
  const clients = Array.from({ length: CLIENTS }, () => {
    const request = openRequest(world, { method: 'POST', headers: { 'content-length': '100000' } })
    request.write(Buffer.alloc(50_000))
    return request
  })
  const metrics = async () => (await fetch(`${world.adminUrl}/metrics`)).text()
  await vi.waitFor(async () => expect(await metrics()).toMatch(/leaves_refused_total\{[^}]*\} 10$/m), 10_000)
  for (const client of clients) client.destroy()
  await vi.waitFor(async () => expect(await metrics()).toMatch(/outcome="left"\} 10$/m), 10_000)
  world.rotate(secondIdentity)
  expect((await ask(world, { method: 'POST', body: '{}' })).status).toBe(200)
  process.off('uncaughtException', onThrown)
  expect(thrown).toEqual([])
})
