import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { QuietWatch } from './quiet.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A watch whose first byte may take 600 and whose gaps 100; `quietAt` says when it has noticed silence. */
function watch() {
  const noticed = { atMs: undefined as number | undefined }
  const startedAtMs = performance.now()
  const quiet = new QuietWatch({ firstByteMs: 600, idleMs: 100 })
  quiet.start(() => {
    noticed.atMs ??= performance.now() - startedAtMs
  })
  return { quiet, noticed }
}

test('a backend has its own time for the first byte', () => {
  const { noticed } = watch()
  vi.advanceTimersByTime(2_000)
  expect(noticed.atMs).toBe(600)
})

test('after each byte the gap begins anew', () => {
  const { quiet, noticed } = watch()
  vi.advanceTimersByTime(550)
  for (let byte = 0; byte < 5; byte++) {
    quiet.heard()
    vi.advanceTimersByTime(90)
  }
  expect(noticed.atMs).toBeUndefined()
  vi.advanceTimersByTime(2_000)
  expect(noticed.atMs).toBe(550 + 4 * 90 + 100)
})

test('silence does not count while the reader is what is waited for, and begins anew after', () => {
  const { quiet, noticed } = watch()
  quiet.heard()
  vi.advanceTimersByTime(60)
  quiet.hold()
  vi.advanceTimersByTime(1_030)
  quiet.release()
  vi.advanceTimersByTime(99)
  expect(noticed.atMs).toBeUndefined()
  vi.advanceTimersByTime(2_000)
  expect(noticed.atMs).toBe(60 + 1_030 + 100)
})

test('a gap behind a first byte that was not waited for is noticed in its own time', () => {
  const { quiet, noticed } = watch()
  quiet.hold()
  vi.advanceTimersByTime(450)
  quiet.release()
  vi.advanceTimersByTime(10)
  quiet.heard()
  vi.advanceTimersByTime(2_000)
  expect(noticed.atMs).toBe(460 + 100)
})

test('a stopped watch leaves no timer behind', () => {
  const { quiet, noticed } = watch()
  quiet.heard()
  quiet.stop()
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(2_000)
  expect(noticed.atMs).toBeUndefined()
})
