import { afterEach, expect, test } from 'vitest'
import type { BackendConfig } from './backend.ts'
import {
  answers,
  DONE,
  finishEvent,
  type Script,
  startBackend,
  streams,
  textEvent,
  usageEvent,
} from './testing/backend.ts'
import { ask, closeWorlds, eventually, readStream, startWorld } from './testing/world.ts'

const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  await closeWorlds()
  for (const backend of open.splice(0)) await backend.close()
})

const good = streams(textEvent('a'), finishEvent(), usageEvent(9, 1), DONE)

/** A world with one backend for each script. */
async function worldOf(...scripts: readonly Script[]) {
  const backends = await Promise.all(scripts.map((script) => startBackend(script)))
  open.push(...backends)
  const configs = backends.map(({ url }): BackendConfig => ({ url, model: 'tiny-chat', usage: 'final' }))
  const world = await startWorld({ backends: configs })
  const counts = () => backends.map(({ requests }) => requests.length)
  return { world, backends, counts }
}

test('beside a replica that answers 503 at once the healthy one serves every request', async () => {
  const { world, counts } = await worldOf(answers(503, { error: 'Loading model' }), good)
  for (let round = 0; round < 10; round++) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(world)))
    for (const { status, text } of replies) {
      expect(status).toBe(200)
      expect(readStream(text).said).toBe('a')
    }
  }
  expect(world.outcomes.every(({ status }) => status === 'ok')).toBe(true)
  // All that were under way together may meet it; afterwards it is left alone but for a probe now and then.
  expect(counts()[0]).toBeLessThanOrEqual(40)
  expect(counts()[1]).toBe(200)
})

test.each([429, 502, 503, 504])(
  'a request that a backend answers %i goes on to another one',
  async (status) => {
    for (let round = 0; round < 2; round++) {
      const { world, backends, counts } = await worldOf(answers(status, ''), good)
      for (let turn = 0; turn < 2; turn++) expect(readStream((await ask(world)).text).said).toBe('a')
      expect(counts()).toEqual([1, 2])
      expect(backends[1]!.requests[0]!.body).toBe(backends[0]!.requests[0]!.body)
    }
  },
)

test.each([400, 401, 403, 404, 408, 413, 422, 500, 501])('a %i is final', async (status) => {
  const { world, counts } = await worldOf(answers(status, ''), answers(status, ''))
  await ask(world)
  expect(counts().reduce((sum, count) => sum + count)).toBe(1)
})

test('a request goes on once, and the last answer is told', async () => {
  const refusing = answers(503, '', { 'retry-after': '7' })
  const { world, counts } = await worldOf(refusing, refusing, refusing)
  const reply = await ask(world)
  expect([reply.status, reply.headers['retry-after']]).toEqual([502, '7'])
  expect(counts().reduce((sum, count) => sum + count)).toBe(2)
  expect(world.outcomes).toMatchObject([
    { status: 'aborted', usage: { promptTokens: 0, completionTokens: 0 } },
  ])
})

test('a backend that names a time is left alone until then, and asked all the same when no other is left', async () => {
  const { world, counts } = await worldOf(answers(503, '', { 'retry-after': '60' }), good)
  for (let turn = 0; turn < 10; turn++) expect((await ask(world)).status).toBe(200)
  expect(counts()).toEqual([1, 10])
  const alone = await worldOf(answers(503, '', { 'retry-after': '60' }))
  for (let turn = 0; turn < 3; turn++) expect((await ask(alone.world)).status).toBe(502)
  expect(alone.counts()).toEqual([3])
})

test('nothing is sent twice once an answer has begun, whatever becomes of it', async () => {
  const begun: Script = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    setImmediate(() => response.destroy())
  }
  const { world, counts } = await worldOf(begun, begun)
  expect((await ask(world)).status).toBe(502)
  expect(counts().reduce((sum, count) => sum + count)).toBe(1)
})

test('a refusal whose socket stays open is let go, and calls that moved on are counted where they run', async () => {
  const lingering: Script = (response) => {
    response.writeHead(503, { 'content-length': '1000' })
    response.write('x')
  }
  const { world, backends } = await worldOf(lingering, good)
  for (let turn = 0; turn < 2; turn++) expect((await ask(world)).status).toBe(200)
  await eventually(() => expect(backends[0]!.sockets.size).toBe(0))
  const [first, second] = world.relay.backends()
  expect(first).toMatchObject({ running: 0, isOpen: true, tally: { requests: 1, failures: { refused: 1 } } })
  expect(second).toMatchObject({
    running: 0,
    isOpen: false,
    tally: { requests: 2, failures: { refused: 0 } },
  })
})
