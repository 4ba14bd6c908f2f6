import { expect, onTestFinished, test, vi } from 'vitest'
import { silent } from '../log.ts'
import type { Meter } from '../meter.ts'
import { OutageError } from '../store/outage.ts'
import { createCellPart } from './part.ts'

function world(prepare: () => Promise<unknown>) {
  const meter = { start: vi.fn(async () => {}), stop: vi.fn(async () => {}), isLeased: false }
  const part = createCellPart({ name: 'a', meter: meter as unknown as Meter, prepare, log: silent })
  return { part, meter }
}

test('a cell that is there is begun once', async () => {
  const { part, meter } = world(async () => {})
  await part.beginLater()
  await part.begin()
  expect(meter.start).toHaveBeenCalledTimes(1)
})

test('a cell that is away is taken up when it is back', async () => {
  let isAway = true
  const { part, meter } = world(async () => {
    if (isAway) throw new OutageError('away')
  })
  await part.beginLater()
  expect(meter.start).not.toHaveBeenCalled()
  isAway = false
  await vi.waitUntil(() => meter.start.mock.calls.length > 0, { timeout: 30_000 })
  await part.stop()
  expect(meter.start).toHaveBeenCalledTimes(1)
  expect(meter.stop).toHaveBeenCalled()
})

test('what else is wrong with a cell ends the start', async () => {
  const { part, meter } = world(() => Promise.reject(new Error('another deployment')))
  await expect(part.beginLater()).rejects.toThrow('another deployment')
  expect(meter.start).not.toHaveBeenCalled()
})

test('a cell that hangs keeps no router from stopping', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { part, meter } = world(() => new Promise(() => {}))
  const begun = part.beginLater()
  // It is given up at first, and tried again.
  await vi.advanceTimersByTimeAsync(10_000)
  await begun
  const stopped = part.stop()
  await vi.advanceTimersByTimeAsync(10_000)
  await stopped
  expect(meter.start).not.toHaveBeenCalled()
  expect(meter.stop).toHaveBeenCalled()
})
