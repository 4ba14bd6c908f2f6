import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

function drain(queue: ReturnType<typeof createFairQueue<string>>): string[] {
  const taken: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

test('the items of one owner wait behind each other, and not in front of anybody else', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item)
  for (const item of ['b1', 'b2']) queue.add('b', item)
  expect(queue.take()).toBe('a1')
  queue.add('c', 'c1')
  expect(queue.size).toBe(5)
  expect(drain(queue)).toEqual(['b1', 'a2', 'c1', 'b2', 'a3'])
  expect(queue.size).toBe(0)
})

test('what is taken out is waited for by nobody', () => {
  const queue = createFairQueue<string>()
  queue.add('a', 'a1')
  queue.add('b', 'b1')
  queue.remove('a', 'a1')
  queue.remove('a', 'a1')
  expect(queue.size).toBe(1)
  expect(drain(queue)).toEqual(['b1'])
})
