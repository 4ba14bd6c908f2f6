import { expect, test, vi } from 'vitest'
import { singleFlight } from './single-flight.ts'

test('calls that come while one is under way share its result, and later ones ask anew', async () => {
  let answer: (value: number) => void = () => {}
  const ask = vi.fn(
    () =>
      new Promise<number>((resolve) => {
        answer = resolve
      }),
  )
  const asked = singleFlight(ask)
  const together = Promise.all([asked(), asked(), asked()])
  answer(1)
  expect(await together).toEqual([1, 1, 1])
  expect(ask).toHaveBeenCalledTimes(1)
  const later = asked()
  answer(2)
  expect(await later).toBe(2)
  expect(ask).toHaveBeenCalledTimes(2)
})

test('a failure is shared as well, and is not kept', async () => {
  const ask = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new Error('away'))
    .mockResolvedValue('back')
  const asked = singleFlight(ask)
  const results = await Promise.allSettled([asked(), asked()])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await asked()).toBe('back')
})
