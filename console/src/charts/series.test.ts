import { expect, test } from 'vitest'
import { stacked, toDrawing, type UsageSeries } from './series.ts'

const nothing = { requests: 0, input_tokens: 0, output_tokens: 0, cost_micros: 0 }

function series(points: readonly [at: string, group: string, cost: number][]): UsageSeries {
  const ids = [...new Set(points.map(([, group]) => group))]
  return {
    bucket: 'day',
    group_by: 'model',
    from: '2026-03-01T00:00:00Z',
    to: '2026-03-04T00:00:00Z',
    groups: ids.map((id) => ({ id, name: `the ${id}` })),
    points: points.map(([at, group, cost_micros]) => ({ ...nothing, at, group, cost_micros })),
    total: nothing,
  }
}

test('every bucket has a value, and the largest group comes first', () => {
  const drawing = toDrawing(
    series([
      ['2026-03-01T00:00:00Z', 'small', 1],
      ['2026-03-03T00:00:00Z', 'small', 2],
      ['2026-03-02T00:00:00Z', 'large', 9],
    ]),
    'cost',
  )
  expect(drawing.times).toEqual([1_772_323_200, 1_772_409_600, 1_772_496_000])
  expect(drawing.layers).toEqual([
    { id: 'large', name: 'the large', values: [0, 9, 0], total: 9 },
    { id: 'small', name: 'the small', values: [1, 0, 2], total: 3 },
  ])
})

test('layers stand on each other, the whole height first', () => {
  const { layers } = toDrawing(
    series([
      ['2026-03-01T00:00:00Z', 'a', 5],
      ['2026-03-01T00:00:00Z', 'b', 3],
    ]),
    'cost',
  )
  expect(stacked(layers)).toEqual([
    [8, 0, 0],
    [5, 0, 0],
  ])
})

test('more groups than there are colours are one layer, and nothing is lost', () => {
  const many = Array.from(
    { length: 9 },
    (_, index) => ['2026-03-02T00:00:00Z', `g${index}`, 10 - index] as const,
  )
  const { layers } = toDrawing(series(many.map((point) => [...point])), 'cost')
  expect(layers).toHaveLength(6)
  expect(layers.at(-1)).toMatchObject({ name: '4 others', total: 5 + 4 + 3 + 2 })
})

test('a series without points has buckets and no layers', () => {
  expect(toDrawing(series([]), 'requests')).toMatchObject({ times: { length: 3 }, layers: [] })
})
