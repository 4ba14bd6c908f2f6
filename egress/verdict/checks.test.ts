import { expect, test } from 'vitest'
import { TestClock } from '../testing/clock.ts'
import { Checks } from './checks.ts'

const broken = new Error('broken')

test('a check that rejects has not passed, is told, and the next one runs', async () => {
  const thrown: unknown[] = []
  let count = 0
  const check = async () => {
    count += 1
    if (count === 1) throw broken
    return true
  }
  const checks = new Checks(
    new TestClock(),
    check,
    () => {},
    (error) => thrown.push(error),
  )
  await expect(checks.run()).resolves.toBeUndefined()
  expect([thrown, checks.isFailing, checks.running]).toEqual([[broken], true, undefined])
  await checks.run()
  expect([count, checks.isFailing]).toEqual([2, false])
})

test('who throws at the end of a check is told of, and neither the check nor the next one fails for it', async () => {
  const thrown: unknown[] = []
  const checks = new Checks(
    new TestClock(),
    async () => true,
    () => {
      throw broken
    },
    (error) => thrown.push(error),
  )
  for (const count of [1, 2]) {
    await expect(checks.run()).resolves.toBeUndefined()
    expect([thrown.length, checks.isFailing, checks.running]).toEqual([count, false, undefined])
  }
})
