import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import {
  answers,
  DONE,
  openStream,
  type Script,
  streams,
  textEvent,
  usageEvent,
  usageOf,
} from './testing/backend.ts'
import { ask, closeWorlds, eventually, MODEL, send, startWorld, type WorldOptions } from './testing/world.ts'

afterEach(closeWorlds)

const whole = streams(textEvent('a'), usageEvent(9, 1), DONE)
const completion = { choices: [{ message: { content: 'a' } }], usage: usageOf(9, 1) }

/** A backend that begins an answer and goes no further. */
const begun: Script = (response) => {
  openStream(response)
  response.write(textEvent('a'))
}

test('a finished answer is told of once, with what was settled and without a cause', async () => {
  for (const options of [{ script: whole }, { script: answers(200, completion), streamed: false }]) {
    const world = await startWorld(options)
    await ask(world)
    expect(world.observations).toEqual([
      {
        operation: 'chat',
        model: MODEL,
        end: world.outcomes[0],
        cause: undefined,
        overheadMs: expect.any(Number),
        comparison: { backend: '0', countedMicros: 3, reportedMicros: 2, finding: undefined },
      },
    ])
  }
})

test.each<[string, WorldOptions, string]>([
  ['a backend that dies', { script: (response) => void response.socket?.destroy() }, 'backend_unavailable'],
  ['garbage', { script: streams(textEvent('a'), 'data: x\n\n') }, 'backend_error'],
  ['a client’s mistake', { script: answers(400, { error: { message: 'top_k' } }) }, 'unsupported_parameter'],
  [
    'a database that is away',
    { script: whole, settle: () => Promise.reject(new Error('away')) },
    'unsettled',
  ],
  ['an answer without a backend', { backends: [], streamed: false }, 'backend_unavailable'],
])('%s is the cause that is told', async (_, options, cause) => {
  const world = await startWorld(options)
  await ask(world)
  expect(world.observations).toMatchObject([{ cause, end: { status: 'aborted' } }])
})

test.each([
  ['internal', 'shutdown'],
  ['attestation_revoked', 'attestation_revoked'],
] as const)('an end of the router’s own, %s, is told as %s', async (code, cause) => {
  for (const streamed of [true, false]) {
    const stop = new AbortController()
    const script: Script = () => stop.abort(new ApiError(code, 'The end.'))
    const world = await startWorld({ script, streamed, signal: stop.signal })
    await ask(world)
    expect(world.observations).toMatchObject([{ cause }])
  }
})

test('a client that left and one that was dropped are told apart', async () => {
  const leaving = await startWorld({ script: begun })
  const { answered, leave } = await send(leaving)
  ;(await answered).on('error', () => {})
  leave()
  await eventually(() => expect(leaving.observations).toMatchObject([{ cause: 'client_left' }]))

  const flood: Script = (response) => {
    openStream(response)
    const part = textEvent('x'.repeat(1_000)).repeat(16)
    const push = () => {
      while (!response.destroyed && response.write(part));
    }
    response.on('drain', push)
    push()
  }
  const stalling = await startWorld({ script: flood, timers: { stalledClientMs: 100 } })
  const socket = connect(stalling.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${stalling.body.length}\r\n\r\n${stalling.body}`,
  )
  socket.pause()
  await eventually(() => expect(stalling.observations).toMatchObject([{ cause: 'client_stalled' }]))
  socket.destroy()
})

test('the time that a backend takes is none of the router’s', async () => {
  const slow: Script = (response, request) => {
    setTimeout(() => void whole(response, request), 200)
  }
  const world = await startWorld({ script: slow })
  await ask(world)
  const [{ overheadMs, end }] = world.observations as [(typeof world.observations)[0]]
  expect(end.latencyMs).toBeGreaterThanOrEqual(199)
  expect(overheadMs).toBeGreaterThanOrEqual(0)
  // Whatever a busy machine adds, the backend's time is no part of it.
  expect(overheadMs).toBeLessThanOrEqual(end.latencyMs - 199)
})

test('the time that the database takes is the router’s', async () => {
  const settle = async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return { costMicros: 1, ledgerId: 'led_1' }
  }
  const world = await startWorld({ script: whole, settle })
  await ask(world)
  expect(world.observations[0]!.overheadMs).toBeGreaterThanOrEqual(99)
})

/** Failures, and whether an SDK may try again by itself: never what is metered already (ERR-42). */
test.each<[string, WorldOptions, number, string | undefined]>([
  ['a backend is overloaded', { script: answers(503, 'busy') }, 502, undefined],
  ['a backend sends what is no answer', { script: answers(200, '<html>') }, 502, undefined],
  ['a backend dies', { script: (response) => void response.socket?.destroy() }, 502, undefined],
  [
    'the answer cannot be settled',
    { script: streams(DONE), settle: () => Promise.reject(new Error()) },
    500,
    'false',
  ],
])('an SDK is told whether to try again when %s', async (_, options, status, expected) => {
  const world = await startWorld(options)
  const reply = await ask(world)
  expect(reply.status).toBe(status)
  expect(reply.headers['x-should-retry']).toBe(expected)
})

test('an answer that the router ends before its head is metered for the prompt, and not to be tried again', async () => {
  for (const streamed of [true, false]) {
    const stop = new AbortController()
    const script: Script = () => stop.abort(new ApiError('internal', 'The router is shutting down.'))
    const world = await startWorld({ script, streamed, signal: stop.signal })
    const reply = await ask(world)
    expect(reply.status).toBe(500)
    expect(world.outcomes[0]!.usage.promptTokens).toBeGreaterThan(0)
    expect(reply.headers['x-should-retry']).toBe('false')
  }
})

test('an answer that the router ends before it was sent anywhere costs nothing and may be tried again', async () => {
  const stop = new AbortController()
  stop.abort(new ApiError('internal', 'The router is shutting down.'))
  const world = await startWorld({ script: whole, streamed: false, signal: stop.signal })
  const reply = await ask(world)
  expect(reply.status).toBe(500)
  expect(world.outcomes[0]!.usage).toEqual({ promptTokens: 0, completionTokens: 0 })
  expect(reply.headers).not.toHaveProperty('x-should-retry')
})
