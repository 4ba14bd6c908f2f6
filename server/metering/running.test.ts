import { ulid } from 'ulid'
import { expect, test } from 'vitest'
import { createRunningSet } from './running.ts'

const running = (id: string) => ({ id, workspaceId: 'ws_1', completionTokens: 0, writtenTokens: 0 })

test('each is found from when it is expected until its place is given up', () => {
  const set = createRunningSet()
  const ids = Array.from({ length: 3_000 }, () => `gen-${ulid()}`)
  const places = ids.map((id) => set.expect(id))
  for (const [at, place] of places.entries()) if (at % 2 === 0) set.add(place, running(ids[at]!))
  expect(set.size).toBe(3_000)
  expect(ids.every(set.has)).toBe(true)
  expect(set.has(`gen-${ulid()}`)).toBe(false)
  expect(set.ids).toEqual(new Set(ids))
  expect([...set.accepted].map(({ id }) => id).sort()).toEqual(ids.filter((_, at) => at % 2 === 0).sort())
  for (const place of places.slice(0, 1_000)) set.remove(place)
  expect(ids.map(set.has)).toEqual(ids.map((_, at) => at >= 1_000))
  expect(set.size).toBe(2_000)
})

test('whoever waits for its end is told when the last place is given up, once', async () => {
  const set = createRunningSet()
  const [one, other] = [set.expect('gen-1'), set.expect('gen-2')]
  let isEmpty = false
  const waiting = set.empty().then(() => {
    isEmpty = true
  })
  set.remove(one)
  set.remove(one)
  await Promise.resolve()
  expect(isEmpty).toBe(false)
  set.remove(other)
  await waiting
  await set.empty()
  expect(set.size).toBe(0)
})

test('nothing runs in a place that was given up', () => {
  const set = createRunningSet()
  const place = set.expect('gen-1')
  set.remove(place)
  expect(() => set.add(place, running('gen-1'))).toThrow('given up')
  expect(set.has('')).toBe(false)
})
