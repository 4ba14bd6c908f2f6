import fc from 'fast-check'
import { expect, test } from 'vitest'
import { costMicros } from './price.ts'

const counts = fc.integer({ min: 0, max: 1_000_000_000 })
const prices = fc.integer({ min: 0, max: 1_000_000_000 })

test.each([
  ['12 + 34 tokens at the demo prices', 12, 34, 150_000, 600_000, 23],
  ['nothing', 0, 0, 150_000, 600_000, 0],
  ['one token of the cheapest price', 1, 0, 1, 0, 1],
  ['exactly one micro-dollar', 1_000_000, 0, 1, 0, 1],
  ['one token beyond one micro-dollar', 1_000_001, 0, 1, 0, 2],
  ['a model priced zero', 1_000_000, 1_000_000, 0, 0, 0],
])('%s: rounded up once', (_, promptTokens, completionTokens, promptMicros, completionMicros, cost) => {
  expect(costMicros({ promptTokens, completionTokens }, { promptMicros, completionMicros })).toBe(cost)
})

test('the cost is the smallest integer that is not below the exact rational', () => {
  fc.assert(
    fc.property(
      counts,
      counts,
      prices,
      prices,
      (promptTokens, completionTokens, promptMicros, completionMicros) => {
        const exact =
          BigInt(promptTokens) * BigInt(promptMicros) + BigInt(completionTokens) * BigInt(completionMicros)
        const cost = BigInt(
          costMicros({ promptTokens, completionTokens }, { promptMicros, completionMicros }),
        )
        expect(cost * 1_000_000n >= exact).toBe(true)
        expect((cost - 1n) * 1_000_000n < exact).toBe(true)
      },
    ),
  )
})

test('a cost that is no exact JSON integer is a fault', () => {
  const tokens = Number.MAX_SAFE_INTEGER
  expect(() =>
    costMicros(
      { promptTokens: tokens, completionTokens: 0 },
      { promptMicros: 2_000_000, completionMicros: 0 },
    ),
  ).toThrow(RangeError)
})
