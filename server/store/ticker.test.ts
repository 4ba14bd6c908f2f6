import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silent } from '../log.ts'
import { startTicker } from './ticker.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

const options = { name: 'ticking', intervalMs: 100, log: silent }

test('a ticker runs once per interval and not before the first has passed', async () => {
  const task = vi.fn(async () => {})
  const ticker = startTicker({ ...options, task })
  await vi.advanceTimersByTimeAsync(99)
  expect(task).toHaveBeenCalledTimes(0)
  await vi.advanceTimersByTimeAsync(201)
  expect(task).toHaveBeenCalledTimes(3)
  await ticker.stop()
})

test('a run that takes long is not joined by a second', async () => {
  let end = (): void => {}
  const task = vi.fn(() => new Promise<void>((resolve) => (end = resolve)))
  const ticker = startTicker({ ...options, task })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(task).toHaveBeenCalledTimes(1)
  end()
  await vi.advanceTimersByTimeAsync(100)
  expect(task).toHaveBeenCalledTimes(2)
  end()
  await ticker.stop()
})

test('a failed run is logged and tried again sooner', async () => {
  const warn = vi.fn()
  const task = vi.fn().mockRejectedValueOnce(new Error('away')).mockResolvedValue(undefined)
  const ticker = startTicker({ ...options, retryMs: 10, log: { ...silent, warn }, task })
  await vi.advanceTimersByTimeAsync(110)
  expect(task).toHaveBeenCalledTimes(2)
  expect(warn).toHaveBeenCalledExactlyOnceWith('ticking failed', { error: new Error('away') })
  await ticker.stop()
})

test('after a stop nothing runs any more, and what runs has ended', async () => {
  let end = (): void => {}
  const task = vi.fn(() => new Promise<void>((resolve) => (end = resolve)))
  const ticker = startTicker({ ...options, task })
  await vi.advanceTimersByTimeAsync(100)
  let isStopped = false
  const stopped = ticker.stop().then(() => {
    isStopped = true
  })
  await vi.advanceTimersByTimeAsync(100)
  expect(isStopped).toBe(false)
  end()
  await stopped
  await vi.advanceTimersByTimeAsync(1_000)
  expect(task).toHaveBeenCalledTimes(1)
})
