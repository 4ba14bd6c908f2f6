import { expect, test } from 'vitest'
import { Family } from './family.ts'
import { Histogram } from './histogram.ts'

test('a value is counted once, at the smallest boundary that is not below it', () => {
  const histogram = new Histogram([1, 5, 10])
  for (const value of [0, 1, 1.5, 5, 10, 10.1, 1e9]) histogram.record(value)
  expect(histogram.counts).toEqual([2, 2, 1, 2])
  expect(histogram.count).toBe(7)
  expect(histogram.sum).toBeCloseTo(1_000_000_027.6)
  const buckets = histogram.points().filter(({ part }) => part === '_bucket')
  expect(buckets.map(({ labels, value }) => [labels?.le, value])).toEqual([
    ['1', 2],
    ['5', 4],
    ['10', 5],
    ['+Inf', 7],
  ])
})

test('the same labels are the same series, whether one is absent or not', () => {
  const family = new Family(['model', 'code'], () => new Histogram([1]))
  family.of('a', 'x').record(1)
  family.of('a', 'x').record(1)
  family.of('a', undefined).record(1)
  expect(family.read(({ count }) => [{ value: count, labels: { le: '1' } }])).toEqual([
    { value: 2, labels: { model: 'a', code: 'x', le: '1' } },
    { value: 1, labels: { model: 'a', le: '1' } },
  ])
})
