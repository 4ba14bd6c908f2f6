import { expect, onTestFinished, test, vi } from 'vitest'
import { silent } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import { createKeeper } from './keeper.ts'

/** A database whose connections are there, and that answers nothing. */
function hanging() {
  const ask = vi.fn(() => new Promise(() => {}))
  return { ask, sql: ask as unknown as Sql }
}

/** A database that has all of its months. */
function answering() {
  const ask = vi.fn(async () => [{ astray: 0n, ahead: 3n }])
  return { ask, sql: ask as unknown as Sql }
}

test('a cell that hangs keeps neither a start waiting nor the months of the others (OPS-25)', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const [home, cell] = [answering(), hanging()]
  const databases = [
    { name: 'home', sql: home.sql },
    { name: 'cell', sql: cell.sql },
  ]
  const keeper = createKeeper({ databases, log: silent, intervalMs: 60_000 })
  const started = keeper.start()
  await vi.advanceTimersByTimeAsync(10_000)
  await started
  await vi.advanceTimersByTimeAsync(600_000)
  expect(home.ask.mock.calls.length).toBeGreaterThan(5)
  // What hangs is not asked again and again: each would take a connection.
  expect(cell.ask).toHaveBeenCalledTimes(1)
  await keeper.stop()
})
