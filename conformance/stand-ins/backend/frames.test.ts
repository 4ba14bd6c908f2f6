import { expect, test } from 'vitest'
import type { StreamEvent } from './chunks.ts'
import { frameEvents } from './frames.ts'

test('of a long answer no more is made than is sent', () => {
  let made = 0
  const events = Array.from({ length: 1_000 }, (_, index): StreamEvent => {
    const toJSON = () => {
      made += 1
      return { index }
    }
    return { data: { toJSON }, piece: true }
  })
  const frames = frameEvents(events, { eventsPerWrite: 2 })
  const { value } = frames.next()
  expect(String(value?.bytes)).toBe('data: {"index":0}\n\ndata: {"index":1}\n\n')
  expect(made).toBe(2)
  expect([...frames]).toHaveLength(499)
  expect(made).toBe(1_000)
})
