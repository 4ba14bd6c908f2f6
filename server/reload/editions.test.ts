import { expect, test, vi } from 'vitest'
import { silent } from '../log.ts'
import { createEdition } from './edition.ts'
import { createEditions } from './editions.ts'
import { testConfig, testWorld } from './testing.ts'

function edition(version: string) {
  const retire = vi.fn(async () => {})
  const close = vi.fn(async () => {})
  return { ...createEdition(testConfig(), testWorld()), version, retire, close }
}

test('a request goes to its end by the edition that was in force as it entered', () => {
  const [first, second] = [edition('1'), edition('2')]
  const editions = createEditions(first, silent)
  const [early, waiting] = [editions.visit(), editions.visit()]
  expect(early.enter()).toBe(first)
  editions.take(second)
  expect(editions.current).toBe(second)
  expect(early.enter()).toBe(first)
  expect(waiting.enter()).toBe(second)
  expect(editions.olderCount).toBe(1)
})

test('an older edition goes with its last request, once', () => {
  const [first, second] = [edition('1'), edition('2')]
  const editions = createEditions(first, silent)
  const visits = [editions.visit(), editions.visit()]
  for (const visit of visits) visit.enter()
  editions.take(second)
  visits[0]!.leave()
  visits[0]!.leave()
  expect(first.retire).not.toHaveBeenCalled()
  visits[1]!.leave()
  expect(first.retire).toHaveBeenCalledOnce()
  expect(editions.olderCount).toBe(0)
  expect(second.retire).not.toHaveBeenCalled()
})

test('an edition without requests goes at once, and a request that never entered holds none', () => {
  const [first, second] = [edition('1'), edition('2')]
  const editions = createEditions(first, silent)
  const refused = editions.visit()
  editions.take(second)
  expect(first.retire).toHaveBeenCalledOnce()
  refused.leave()
  expect(second.retire).not.toHaveBeenCalled()
})

test('a stop closes every edition that is there, and waits for those that are going', async () => {
  const [first, second, third] = [edition('1'), edition('2'), edition('3')]
  const going = Promise.withResolvers<void>()
  first.retire.mockReturnValue(going.promise)
  const editions = createEditions(first, silent)
  editions.take(second)
  editions.visit().enter()
  editions.take(third)
  let isClosed = false
  const closed = editions.close().then(() => {
    isClosed = true
  })
  await vi.waitFor(() => expect(third.close).toHaveBeenCalledOnce())
  expect(second.close).toHaveBeenCalledOnce()
  expect(first.close).not.toHaveBeenCalled()
  expect(isClosed).toBe(false)
  going.resolve()
  await closed
})
