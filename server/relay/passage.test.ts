import type { Dispatcher } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import type { RelayTimers } from './task.ts'
import { askAndSettle, COUNTED_PROMPT_TOKENS, closeWorlds, eventually, startWorld } from './testing/world.ts'

afterEach(closeWorlds)

/** A way whose connections are made by hand. */
async function startPassage(streamed: boolean, timers: Partial<RelayTimers> = {}) {
  const term = new AbortController()
  const abandoned: true[] = []
  const tries: Dispatcher.DispatchHandler[] = []
  const aborts: Error[] = []
  const controller = { abort: (error: Error) => void aborts.push(error) } as Dispatcher.DispatchController
  const world = await startWorld({
    streamed,
    timers,
    passage: {
      signal: term.signal,
      withdrawalError: (isSent) =>
        new ApiError('backend_unavailable', isSent ? 'It was sent.' : 'Nothing was sent.'),
      name: '0',
      config: { url: 'https://vendor.example/v1', model: 'large', usage: 'final' },
      dispatch: (_, handler) => void tries.push(handler),
      abandon: () => void abandoned.push(true),
    },
  })
  return { world, term, tries, aborts, abandoned, controller }
}

test.each([
  ['a stream', true],
  ['an answer', false],
])('a withdrawal before %s was asked for sends nothing, costs nothing and says so', async (_, streamed) => {
  const { world, term, tries, aborts, controller } = await startPassage(streamed)
  const asked = askAndSettle(world)
  await eventually(() => expect(tries).toHaveLength(1))
  term.abort()
  const { reply, outcome } = await asked
  expect([reply.status, JSON.parse(reply.text).error.message]).toEqual([502, 'Nothing was sent.'])
  expect(outcome).toMatchObject({ status: 'aborted', usage: { promptTokens: 0, completionTokens: 0 } })
  // The connection that comes about after all is given nothing.
  tries[0]!.onRequestStart!(controller, {})
  expect(aborts).toHaveLength(1)
})

test.each([
  ['a stream', true],
  ['an answer', false],
])('a withdrawal after %s was asked for counts the prompt', async (_, streamed) => {
  const { world, term, tries, aborts, controller } = await startPassage(streamed)
  const asked = askAndSettle(world)
  await eventually(() => expect(tries).toHaveLength(1))
  tries[0]!.onRequestStart!(controller, {})
  term.abort()
  const { reply, outcome } = await asked
  expect(JSON.parse(reply.text).error.message).toBe('It was sent.')
  expect(outcome).toMatchObject({ status: 'aborted', usage: { promptTokens: COUNTED_PROMPT_TOKENS } })
  expect(aborts).toHaveLength(1)
})

test.each([
  ['a stream', true],
  ['an answer', false],
])(
  '%s that waits for its upstream’s certificate keeps its own refusal: no ping, and no backend that is late',
  async (_, streamed) => {
    const timers = { pingMs: 20, firstByteMs: 50 }
    const { world, tries, controller } = await startPassage(streamed, timers)
    const asked = askAndSettle(world)
    await eventually(() => expect(tries).toHaveLength(1))
    // Another one, which was sent: when that is late, both timers of the first would have run out before.
    const later = await startPassage(streamed, timers)
    const late = askAndSettle(later.world)
    await eventually(() => expect(later.tries).toHaveLength(1))
    later.tries[0]!.onRequestStart!(later.controller, {})
    expect((await late).reply.text).toContain('backend_unavailable')
    const refusal = new ApiError('attestation_failed', 'It has waited in vain.')
    tries[0]!.onResponseError!(controller, refusal)
    const { reply, outcome } = await asked
    expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([503, 'attestation_failed'])
    expect(outcome).toMatchObject({ status: 'aborted', usage: { promptTokens: 0 } })
  },
)

test('once it was sent, a backend that is late is late', async () => {
  const { world, tries, controller } = await startPassage(false, { firstByteMs: 50 })
  const asked = askAndSettle(world)
  await eventually(() => expect(tries).toHaveLength(1))
  tries[0]!.onRequestStart!(controller, {})
  expect(JSON.parse((await asked).reply.text).error.code).toBe('backend_unavailable')
})

test('a withdrawal while a request waits ends its wait', async () => {
  const { world, term, tries, abandoned } = await startPassage(false)
  const asked = askAndSettle(world)
  await eventually(() => expect(tries).toHaveLength(1))
  expect(abandoned).toEqual([])
  term.abort()
  await asked
  expect(abandoned).toEqual([true])
})

test('a request whose verdict is gone before it is relayed asks nobody', async () => {
  const { world, term, tries } = await startPassage(false)
  term.abort()
  const { reply, outcome } = await askAndSettle(world)
  expect([JSON.parse(reply.text).error.message, tries, outcome.status]).toEqual([
    'Nothing was sent.',
    [],
    'aborted',
  ])
})
