import { expect, test, vi } from 'vitest'
import { ApiError } from '../errors.ts'
import { createBudget } from './budget.ts'
import { silentLimits } from './metrics.ts'

function refusalOf(act: () => void): ApiError | undefined {
  try {
    act()
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown
    throw thrown
  }
  return undefined
}

test('each source has so many a minute, refilled continuously', () => {
  let now = 1_000_000
  const budget = createBudget('evidence', 60, () => now)
  for (let count = 0; count < 60; count++) budget.take('a')
  const refusal = refusalOf(() => budget.take('a'))
  expect(refusal).toMatchObject({
    code: 'rate_limit_exceeded',
    headers: {
      'Retry-After': '1',
      'retry-after-ms': '1000',
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '1001',
    },
  })
  expect(refusalOf(() => budget.take('b'))).toBeUndefined()
  now += 1_000
  expect(refusalOf(() => budget.take('a'))).toBeUndefined()
  expect(refusalOf(() => budget.take('a'))).toBeDefined()
})

test('a refusal is counted for the operator', () => {
  const refused = vi.fn()
  const budget = createBudget('invitations', 1, () => 0, { ...silentLimits, refused })
  budget.take('a')
  expect(refused).not.toHaveBeenCalled()
  refusalOf(() => budget.take('a'))
  expect(refused.mock.calls).toEqual([['invitations']])
})

test('a clock that steps back refills nothing and empties nothing', () => {
  let now = 1_000_000
  const budget = createBudget('evidence', 2, () => now)
  budget.take('a')
  now -= 500_000
  budget.take('a')
  expect(refusalOf(() => budget.take('a'))).toBeDefined()
})
