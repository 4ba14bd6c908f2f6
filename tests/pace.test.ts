import { expect, test, vi } from 'vitest'
import { quickest, timeOf } from './pace.ts'

test('the first measurement within the limit is the last', async () => {
  const measure = vi.fn().mockResolvedValueOnce(400).mockResolvedValueOnce(90).mockResolvedValue(10)
  expect(await quickest(250, measure)).toBe(90)
  expect(measure).toHaveBeenCalledTimes(2)
})

test('what is never within the limit is told by its best', async () => {
  let next = 400
  expect(await quickest(250, async () => (next -= 10))).toBe(300)
})

test('an act is timed from its beginning to its end', async () => {
  const took = await timeOf(() => new Promise((resolve) => setTimeout(resolve, 30)))
  expect(took).toBeGreaterThanOrEqual(29)
})
