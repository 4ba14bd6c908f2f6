import { expect, test } from 'vitest'
import { Histogram } from './histogram.ts'
import { differences, noiseOf, ratios, spreadOf } from './spread.ts'

test.each([
  [[3, 1, 2], { median: 2, least: 1, most: 3 }],
  [[4, 1, 2, 3], { median: 2.5, least: 1, most: 4 }],
  [[7], { median: 7, least: 7, most: 7 }],
])('the middle of %j is known, and its ends', (values, spread) => {
  expect(spreadOf(values)).toEqual(spread)
})

test('nothing has no middle', () => {
  expect(() => spreadOf([])).toThrow(RangeError)
})

test('the noise of a figure is half of how far its rounds lie apart', () => {
  expect(noiseOf(spreadOf([10, 14, 11]))).toBe(2)
})

test('ratios and differences are taken within rounds, so that what drifts does not show', () => {
  expect(ratios([10, 20, 40], [5, 10, 20])).toEqual([2, 2, 2])
  expect(differences([10, 20], [9, 19, 99])).toEqual([1, 1])
})

test('a percentile is right to a fiftieth, however many processes counted', () => {
  const [whole, part] = [new Histogram(), new Histogram()]
  for (let micros = 1; micros <= 100_000; micros++) (micros % 3 === 0 ? part : whole).record(micros)
  whole.add(part.buckets())
  expect(whole.count).toBe(100_000)
  for (const [at, ms] of [
    [0.5, 50],
    [0.99, 99],
    [1, 100],
  ] as const) {
    expect(whole.percentileMs(at)! / ms).toBeGreaterThanOrEqual(0.98)
    expect(whole.percentileMs(at)! / ms).toBeLessThanOrEqual(1.021)
  }
})

test('nothing has no percentile', () => {
  expect(new Histogram().percentileMs(0.5)).toBeUndefined()
})
