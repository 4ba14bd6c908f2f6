import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCollector } from './collect.ts'

const MUCH = 100_000_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('what large bodies leave behind is collected once nothing more has come for a while', () => {
  const collect = vi.fn()
  const { released } = createCollector(collect, 1_000)
  released(MUCH)
  vi.advanceTimersByTime(900)
  released(MUCH)
  vi.advanceTimersByTime(900)
  expect(collect).not.toHaveBeenCalled()
  vi.advanceTimersByTime(100)
  expect(collect).toHaveBeenCalledTimes(1)
})

test('little is not worth it', () => {
  const collect = vi.fn()
  createCollector(collect, 1_000).released(1_000)
  vi.advanceTimersByTime(10_000)
  expect(collect).not.toHaveBeenCalled()
})
