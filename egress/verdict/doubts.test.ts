import { expect, test } from 'vitest'
import { TestClock } from '../testing/clock.ts'
import { Doubts } from './doubts.ts'

test('a check that rejects is told, and those who wait have the next one made', async () => {
  const clock = new TestClock()
  const broken = new Error('broken')
  const thrown: unknown[] = []
  let count = 0
  const doubts = new Doubts(
    clock,
    async () => {
      count += 1
      if (count < 3) throw broken
    },
    (error) => thrown.push(error),
  )
  let isOver = false
  void doubts
    .wait(() => count === 3, { since: clock.now() })
    .then(() => {
      isOver = true
    })
  await clock.pass(0)
  expect([count, thrown, isOver]).toEqual([1, [broken], false])
  await clock.pass(2_000)
  expect([count, thrown, isOver, doubts.waiting]).toEqual([3, [broken, broken], true, 0])
  void doubts.wait(() => count === 4, { since: clock.now() })
  await clock.pass(1_000)
  expect([count, doubts.waiting]).toEqual([4, 0])
})
