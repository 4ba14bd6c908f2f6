import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silent } from '../log.ts'
import { createClosedStore, createOpenStore } from './constant.ts'
import { createFallbackStore } from './fallback.ts'
import { createMemoryStore } from './memory.ts'
import type { BucketStore } from './store.ts'

const bucket = { owner: 'key_1', workspaceId: 'ws_1', counts: 'requests', perMinute: 2 } as const
const TAKE = [{ ...bucket, least: 60_000, units: -60_000 }]
const now = () => 0

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/** A store that fails while `broken` is set, or never answers. */
function brittle() {
  const inner = createMemoryStore(now)
  const calls = vi.fn()
  const state: { broken: 'refuses' | 'hangs' | undefined } = { broken: undefined }
  const store: BucketStore = {
    apply(changes) {
      calls()
      if (state.broken === 'refuses') return Promise.reject(new Error('connection refused'))
      return state.broken === 'hangs' ? new Promise(() => {}) : inner.apply(changes)
    },
  }
  return { store, state, calls }
}

test('while the shared store answers, nobody else is asked', async () => {
  const instead = { apply: vi.fn() }
  const { store } = brittle()
  const fallback = createFallbackStore({ shared: store, instead, onLost: () => {}, log: silent })
  expect(await fallback.apply(TAKE)).toMatchObject({ refusedAt: -1, levels: [60_000] })
  expect(instead.apply).not.toHaveBeenCalled()
  expect(fallback.lostCount).toBe(0)
})

test('when it is lost the router counts on its own, is heard of once, and says how often', async () => {
  const { store, state, calls } = brittle()
  const log = { ...silent, warn: vi.fn(), info: vi.fn() }
  const onLost = vi.fn()
  const fallback = createFallbackStore({ shared: store, instead: createMemoryStore(now), onLost, log })
  state.broken = 'refuses'
  const answers = [await fallback.apply(TAKE), await fallback.apply(TAKE), await fallback.apply(TAKE)]
  expect(answers.map(({ refusedAt }) => refusedAt)).toEqual([-1, -1, 0])
  expect(fallback.lostCount).toBe(3)
  expect(calls).toHaveBeenCalledTimes(1)
  expect(log.warn).toHaveBeenCalledTimes(1)

  state.broken = undefined
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await fallback.apply(TAKE)).toMatchObject({ levels: [60_000] })
  expect(fallback.lostCount).toBe(3)
  expect(log.info).toHaveBeenCalledTimes(1)
  expect(onLost.mock.calls).toEqual([[true], [false]])
})

test('a router that nobody calls notices that the store is back', async () => {
  const { store, state } = brittle()
  const onLost = vi.fn()
  const fallback = createFallbackStore({
    shared: store,
    instead: createMemoryStore(now),
    onLost,
    log: silent,
  })
  state.broken = 'refuses'
  await fallback.apply(TAKE)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(onLost.mock.calls).toEqual([[true]])
  state.broken = undefined
  await vi.advanceTimersByTimeAsync(1_000)
  expect(onLost.mock.calls).toEqual([[true], [false]])
})

test('a probe tells that a store is not there before any request does', async () => {
  const { store, state, calls } = brittle()
  const onLost = vi.fn()
  const fallback = createFallbackStore({
    shared: store,
    instead: createMemoryStore(now),
    onLost,
    log: silent,
  })
  await fallback.probe()
  expect(onLost).not.toHaveBeenCalled()
  state.broken = 'refuses'
  await fallback.probe()
  expect(onLost.mock.calls).toEqual([[true]])

  fallback.close()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(calls).toHaveBeenCalledTimes(2)
})

test('a store that hangs holds a request up for a moment, and the next ones not at all', async () => {
  const { store, state, calls } = brittle()
  const fallback = createFallbackStore({
    shared: store,
    instead: createMemoryStore(now),
    onLost: () => {},
    log: silent,
  })
  state.broken = 'hangs'
  const first = fallback.apply(TAKE)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await first).toMatchObject({ refusedAt: -1, levels: [60_000] })
  expect(await fallback.apply(TAKE)).toMatchObject({ refusedAt: -1, levels: [0] })
  expect(calls).toHaveBeenCalledTimes(1)
})

test('no request waits to find out whether a store that hung is back', async () => {
  const { store, state, calls } = brittle()
  const instead = createMemoryStore(now)
  const fallback = createFallbackStore({ shared: store, instead, onLost: () => {}, log: silent })
  state.broken = 'hangs'
  const first = fallback.apply(TAKE)
  await vi.advanceTimersByTimeAsync(1_000)
  await first
  await vi.advanceTimersByTimeAsync(1_000)
  expect(calls).toHaveBeenCalledTimes(2)
  // The probe is under way and has no answer; these have theirs.
  const answers = await Promise.all([fallback.apply(TAKE), fallback.apply(TAKE)])
  expect(answers.map(({ refusedAt }) => refusedAt)).toEqual([-1, 0])
  expect(calls).toHaveBeenCalledTimes(2)
})

test.each([
  ['closed refuses, with headers as of an empty bucket', createClosedStore, 0, 0],
  ['open admits, as if every bucket were full', createOpenStore, -1, 120_000],
])('%s', async (_, create, refusedAt, level) => {
  const { store, state } = brittle()
  state.broken = 'refuses'
  const fallback = createFallbackStore({ shared: store, instead: create(now), onLost: () => {}, log: silent })
  for (let count = 0; count < 3; count++) {
    expect(await fallback.apply(TAKE)).toEqual({ nowMs: 0, refusedAt, levels: [level] })
  }
})

test.each([
  ['closed', createClosedStore],
  ['open', createOpenStore],
])('%s takes a debit without a word', async (_, create) => {
  const debit = [{ ...bucket, least: undefined, units: -60_000 }]
  expect(await create(now).apply(debit)).toMatchObject({ refusedAt: -1 })
})
