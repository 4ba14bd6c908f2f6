import { expect, test } from 'vitest'
import { createBodyMemory } from './body.ts'

test('bodies wait for memory in the order of their arrival', async () => {
  const memory = createBodyMemory(100)
  const order: string[] = []
  const first = await memory.reserve(60)
  const second = memory.reserve(60).then((lease) => {
    order.push('second')
    return lease
  })
  const third = memory.reserve(10).then((lease) => {
    order.push('third')
    return lease
  })
  await Promise.resolve()
  expect(order).toEqual([])
  first.release()
  first.release()
  ;(await second).release()
  ;(await third).release()
  expect(order).toEqual(['second', 'third'])
})

test('a body of unknown length keeps only what it turned out to need', async () => {
  const memory = createBodyMemory(100)
  const first = await memory.reserve(100)
  const second = memory.reserve(90)
  first.keep(10)
  ;(await second).release()
  first.release()
  ;(await memory.reserve(100)).release()
})

test('a body larger than all memory waits for all of it, not for ever', async () => {
  const memory = createBodyMemory(100)
  ;(await memory.reserve(1_000)).release()
  ;(await memory.reserve(100)).release()
})
