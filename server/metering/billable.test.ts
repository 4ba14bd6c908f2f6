import fc from 'fast-check'
import { expect, test } from 'vitest'
import { billable } from './billable.ts'
import { costMicros } from './price.ts'

const bounds = { promptBoundTokens: 1_424, outputCapTokens: 5 }
const counted = { promptTokens: 100, completionTokens: 2 }
const usageOf = (promptTokens: number, completionTokens: number) => ({ promptTokens, completionTokens })

test.each([
  ['within what the request could use', usageOf(12, 5), usageOf(12, 5), 'backend'],
  ['of zeros', usageOf(0, 0), usageOf(0, 0), 'backend'],
  ['at the bound', usageOf(1_424, 5), usageOf(1_424, 5), 'backend'],
  ['with a longer completion than the cap', usageOf(12, 6), usageOf(12, 5), 'bounded'],
  ['with a longer prompt than the body', usageOf(1_425, 1), usageOf(1_424, 1), 'bounded'],
  ['beyond all reason', usageOf(2 ** 60, 1e300), usageOf(1_424, 5), 'bounded'],
  ['that is negative', usageOf(-1, 3), counted, 'counted'],
  ['that is fractional', usageOf(1, 3.5), counted, 'counted'],
  ['that is no number', usageOf(Number.NaN, 3), counted, 'counted'],
  ['that is missing', undefined, counted, 'counted'],
])('a backend’s usage %s', (_, reported, usage, usageSource) => {
  expect(billable(bounds, reported, counted)).toEqual({ usage, usageSource })
})

test('whatever a backend says and the router counts, nothing costs more than was held, and asking twice changes nothing', () => {
  const count = fc.oneof(fc.nat(5_000), fc.double(), fc.constant(2 ** 53))
  const usage = fc.record({ promptTokens: count, completionTokens: count })
  const natural = fc.record({ promptTokens: fc.nat(), completionTokens: fc.nat() })
  const pricing = { promptMicros: 150_000, completionMicros: 600_000 }
  const hold = costMicros(usageOf(bounds.promptBoundTokens, bounds.outputCapTokens), pricing)
  fc.assert(
    fc.property(fc.option(usage, { nil: undefined }), natural, (reported, own) => {
      const billed = billable(bounds, reported, own)
      expect(costMicros(billed.usage, pricing)).toBeLessThanOrEqual(hold)
      expect(billable(bounds, billed.usage, own).usage).toEqual(billed.usage)
    }),
  )
})
