import { expect, test, vi } from 'vitest'
import { createReadiness } from './readiness.ts'

function world() {
  const state = { isDraining: false, isLeased: true }
  const askDatabase = vi.fn<() => Promise<unknown>>(async () => {})
  const notReady = createReadiness({
    isDraining: () => state.isDraining,
    isLeased: () => state.isLeased,
    askDatabase,
  })
  return { state, askDatabase, notReady }
}

test('a router whose database answers, that holds its lease and does not stop is ready', async () => {
  expect(await world().notReady()).toEqual([])
})

test('every reason against it is told', async () => {
  const { state, askDatabase, notReady } = world()
  state.isDraining = true
  expect(await notReady()).toEqual(['draining'])
  state.isLeased = false
  askDatabase.mockRejectedValue(new Error('refused'))
  expect(await notReady()).toEqual(['draining', 'lease_lapsed', 'database_unreachable'])
})

test('a database that does not answer within a second is unreachable', async () => {
  vi.useFakeTimers()
  const { askDatabase, notReady } = world()
  askDatabase.mockReturnValue(new Promise(() => {}))
  const asked = notReady()
  let told: unknown
  void asked.then((reasons) => {
    told = reasons
  })
  await vi.advanceTimersByTimeAsync(999)
  expect(told).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  vi.useRealTimers()
  expect(await asked).toEqual(['database_unreachable'])
})

test('however many ask, the database is asked once at a time', async () => {
  const { askDatabase, notReady } = world()
  await Promise.all(Array.from({ length: 50 }, notReady))
  expect(askDatabase).toHaveBeenCalledTimes(1)
  await notReady()
  expect(askDatabase).toHaveBeenCalledTimes(2)
})
