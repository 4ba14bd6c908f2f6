import type { UsagePoint, UsageSeries } from '#contract/console/models'

export type { UsageSeries }

/** What of a bucket is drawn. */
export type Measure = 'cost' | 'tokens' | 'requests'

/** One line of the drawing: a group's value in every bucket, zero where it used nothing. */
export interface Layer {
  readonly id: string
  readonly name: string
  readonly values: readonly number[]
  readonly total: number
}

/** A series as it is drawn: the buckets' beginnings in Unix seconds, and layers from the largest on. */
export interface Drawing {
  readonly bucket: 'hour' | 'day'
  readonly times: readonly number[]
  readonly layers: readonly Layer[]
}

/** Most groups that have a colour of their own; what is left is one layer. */
export const MAX_LAYERS = 5

const SECONDS = { hour: 3_600, day: 86_400 } as const

/** Fills a series out: every bucket has a value, in whole units of the measure (micro-dollars, tokens, requests). */
export function toDrawing(series: UsageSeries, measure: Measure): Drawing {
  const step = SECONDS[series.bucket]
  const first = Date.parse(series.from) / 1_000
  const count = Math.max(0, Math.round((Date.parse(series.to) / 1_000 - first) / step))
  const names = new Map(series.groups.map(({ id, name }) => [id, name]))
  const byGroup = new Map<string, number[]>()
  for (const point of series.points) {
    const group = point.group ?? ''
    const values = byGroup.get(group) ?? new Array<number>(count).fill(0)
    byGroup.set(group, values)
    const index = Math.round((Date.parse(point.at) / 1_000 - first) / step)
    if (index >= 0 && index < count) values[index]! += measured(point, measure)
  }
  const layers = [...byGroup]
    .map(([id, values]) => layerOf(id, id === '' ? 'All' : (names.get(id) ?? id), values))
    .sort((one, other) => other.total - one.total)
  return {
    bucket: series.bucket,
    times: Array.from({ length: count }, (_, index) => first + index * step),
    layers: joinSmall(layers),
  }
}

/** Each layer on top of the ones below it, the last one first: as bars are painted over each other. */
export function stacked(layers: readonly Layer[]): number[][] {
  const sums: number[][] = []
  for (const { values } of layers) {
    const below = sums.at(-1)
    sums.push(values.map((value, index) => value + (below?.[index] ?? 0)))
  }
  return sums.toReversed()
}

function joinSmall(layers: readonly Layer[]): Layer[] {
  if (layers.length <= MAX_LAYERS + 1) return [...layers]
  const small = layers.slice(MAX_LAYERS)
  const values = small[0]!.values.map((_, index) =>
    small.reduce((sum, layer) => sum + layer.values[index]!, 0),
  )
  return [...layers.slice(0, MAX_LAYERS), layerOf('other', `${small.length} others`, values)]
}

function layerOf(id: string, name: string, values: readonly number[]): Layer {
  return { id, name, values, total: values.reduce((sum, value) => sum + value, 0) }
}

function measured(point: UsagePoint, measure: Measure): number {
  if (measure === 'cost') return point.cost_micros
  return measure === 'requests' ? point.requests : point.input_tokens + point.output_tokens
}
