import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { BackendConfig } from './backend.ts'
import { answers, DONE, openStream, startBackend, streams, textEvent } from './testing/backend.ts'
import { ask, askAndSettle, closeWorlds, eventually, readStream, send, startWorld } from './testing/world.ts'

const open: Server[] = []

afterEach(async () => {
  await closeWorlds()
  for (const server of open.splice(0)) server.close()
})

function configOf(url: string): BackendConfig {
  return { url, model: 'tiny-chat', usage: 'final' }
}

/** A raw listener on the loopback, and the connections that it got. */
async function listen(onConnection: (socket: Socket) => void) {
  const connections: Socket[] = []
  const server = createServer((socket) => {
    connections.push(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(server)
  return { connections, config: configOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`) }
}

/**
 * An address where nobody listens. The system gives it to nobody either: one that was just free may be the next server's,
 * such as the one that is asked here.
 */
function refusing(port: 1 | 2 = 1): BackendConfig {
  return configOf(`http://127.0.0.1:${port}/v1`)
}

test('a refused connection goes on to the next backend, and the client sees nothing of it', async () => {
  const good = await startBackend(streams(textEvent('a'), DONE))
  for (let round = 0; round < 4; round++) {
    const world = await startWorld({ backends: [refusing(), configOf(good.url)] })
    const { reply, outcome } = await askAndSettle(world)
    expect(readStream(reply.text).said).toBe('a')
    expect(outcome.status).toBe('ok')
  }
  expect(good.requests).toHaveLength(4)
  await closeWorlds()
  await good.close()
})

test('when every backend refuses, the answer is 502 backend_unavailable and nothing is charged', async () => {
  const world = await startWorld({ backends: [refusing(1), refusing(2)] })
  const { reply, outcome } = await askAndSettle(world)
  expect(reply.status).toBe(502)
  expect(JSON.parse(reply.text).error.code).toBe('backend_unavailable')
  expect(outcome).toMatchObject({ status: 'aborted', usage: { promptTokens: 0, completionTokens: 0 } })
  expect(reply.text).not.toContain('127.0.0.1')
})

test('a model without a backend answers 502 and is settled', async () => {
  const world = await startWorld({ backends: [] })
  const { reply, outcome } = await askAndSettle(world)
  expect({ status: reply.status, outcome: outcome.status }).toEqual({ status: 502, outcome: 'aborted' })
})

test('a request of which a byte was sent is never sent again, to no backend', async () => {
  const dying = await listen((socket) => socket.once('data', () => socket.destroy()))
  const other = await listen((socket) => socket.once('data', () => socket.destroy()))
  const world = await startWorld({ backends: [dying.config, other.config] })
  const { reply } = await askAndSettle(world)
  expect(JSON.parse(reply.text).error.code).toBe('backend_unavailable')
  expect(dying.connections.length + other.connections.length).toBe(1)
})

test('a pooled socket that the backend has closed is replaced without the client noticing', async () => {
  const world = await startWorld({ script: streams(textEvent('a'), DONE) })
  for (let round = 0; round < 3; round++) {
    const { text } = await ask(world)
    expect(readStream(text).said).toBe('a')
    await eventually(() => expect(world.backend.running()).toBe(0))
    for (const socket of world.backend.sockets) socket.end()
  }
  expect(world.backend.requests).toHaveLength(3)
  expect(world.outcomes.every(({ status }) => status === 'ok')).toBe(true)
})

test('parallel requests each have a connection of their own and none waits for another', async () => {
  const world = await startWorld({ script: () => {} })
  const sent = await Promise.all(Array.from({ length: 20 }, () => send(world)))
  await eventually(() => expect(world.backend.requests).toHaveLength(20))
  expect(world.backend.connections()).toBe(20)
  for (const { leave } of sent) leave()
  await eventually(() => expect(world.backend.sockets.size).toBe(0))
  await eventually(() => expect(world.outcomes).toHaveLength(20))
})

test('five hundred clients that leave at once leave no socket to the backend behind', async () => {
  const world = await startWorld({
    script: (response) => {
      openStream(response)
      response.write(textEvent('a'))
    },
  })
  for (let round = 0; round < 10; round++) {
    const sent = await Promise.all(Array.from({ length: 50 }, () => send(world)))
    await eventually(() => expect(world.backend.requests).toHaveLength(50 * (round + 1)))
    for (const { leave } of sent) leave()
  }
  await eventually(() => expect(world.backend.sockets.size).toBe(0))
  await eventually(() => expect(world.outcomes).toHaveLength(500))
})

test('a client that leaves while the connection is still being made is charged nothing, and nothing is sent', async () => {
  const { answer, outcome, received } = await leaveWhileConnecting()
  expect(answer).toBeUndefined()
  expect(outcome).toMatchObject({ status: 'aborted', usage: { promptTokens: 0, completionTokens: 0 } })
  expect(received).toBe(0)
})

/** A TLS backend that never answers the handshake keeps a connection in the making for as long as one likes. */
async function leaveWhileConnecting() {
  const silent = await listen(() => {})
  const config = { ...silent.config, url: silent.config.url.replace('http:', 'https:') }
  const world = await startWorld({ backends: [config] })
  const { leave } = await send(world)
  await eventually(() => expect(silent.connections).toHaveLength(1))
  leave()
  await eventually(() => expect(world.outcomes).toHaveLength(1))
  const plain = silent.connections.map((socket) => String(socket.read() ?? '')).join('')
  return { answer: world.thrown[0], outcome: world.outcomes[0], received: plain.includes('POST') ? 1 : 0 }
}

test('a connection that does not come about in time is 502 backend_unavailable', async () => {
  const silent = await listen(() => {})
  const config = { ...silent.config, url: silent.config.url.replace('http:', 'https:') }
  const world = await startWorld({ backends: [config], timers: { connectMs: 150 } })
  const { reply } = await askAndSettle(world)
  expect(JSON.parse(reply.text).error.code).toBe('backend_unavailable')
})

test('a base URL with a trailing slash or a deeper path is kept', async () => {
  const good = await startBackend(answers(200, { choices: [] }))
  const url = good.url.replace('/v1', '/openai/v1/')
  const world = await startWorld({ streamed: false, backends: [configOf(url)] })
  await askAndSettle(world)
  expect(good.requests[0]!.path).toBe('/openai/v1/chat/completions')
  expect(good.requests[0]!.headers).not.toHaveProperty('authorization')
  await closeWorlds()
  await good.close()
})
