import { expect, test } from 'vitest'
import { createBodyMemory } from './body-memory.ts'

const WAIT_MS = 1_000

test('bodies wait for memory in the order of their arrival', async () => {
  const memory = createBodyMemory(100)
  const order: string[] = []
  const [first, second, third] = [memory.open(), memory.open(), memory.open()]
  await first.take(60, WAIT_MS)
  const later = Promise.all([
    second.take(60, WAIT_MS).then(() => order.push('second')),
    third.take(10, WAIT_MS).then(() => order.push('third')),
  ])
  await Promise.resolve()
  expect(order).toEqual([])
  first.release()
  first.release()
  await later
  expect(order).toEqual(['second', 'third'])
})

test('a body that gets no memory in time is refused, and the next one is not held up by it', async () => {
  const memory = createBodyMemory(100)
  const [holder, starved, small] = [memory.open(), memory.open(), memory.open()]
  await holder.take(90, WAIT_MS)
  await expect(starved.take(50, 20)).rejects.toMatchObject({ code: 'internal' })
  await small.take(10, WAIT_MS)
})

test('memory is scarce once more than half is taken, until it is given back', async () => {
  const memory = createBodyMemory(100)
  const lease = memory.open()
  await lease.take(50, WAIT_MS)
  expect(memory.isScarce).toBe(false)
  await lease.take(1, WAIT_MS)
  expect(memory.isScarce).toBe(true)
  lease.release()
  expect(memory.isScarce).toBe(false)
})
