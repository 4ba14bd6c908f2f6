import type { MetricHead, Point } from '#base/metrics.ts'
import type { Family } from './family.ts'
import type { Counter, Histogram } from './histogram.ts'

/** Takes a metric's readings at each scrape; where it throws, the metric is left out of that scrape. */
export type Read = () => readonly Point[] | Promise<readonly Point[]>

/** One metric as it is published. */
export interface Metric extends MetricHead {
  readonly read: Read
}

/** A number that goes up and down. */
export function gauge(name: string, unit: string, description: string, read: Read): Metric {
  return { kind: 'gauge', name, unit, description, read }
}

/** A number that only grows. */
export function counter(
  name: string,
  unit: string,
  description: string,
  source: Read | Family<readonly string[], Counter>,
): Metric {
  const read = typeof source === 'function' ? source : () => source.read(({ value }) => [{ value }])
  return { kind: 'counter', name, unit, description, read }
}

/** A distribution. */
export function histogram(
  name: string,
  unit: string,
  description: string,
  family: Family<readonly string[], Histogram>,
): Metric {
  return { kind: 'histogram', name, unit, description, read: () => family.read((value) => value.points()) }
}
