import type { Family, Labels } from './family.ts'
import type { Counter, Histogram } from './histogram.ts'

/** One reading. */
export interface Point {
  readonly value: number
  readonly labels?: Labels
}

/** Takes readings when somebody looks. One that cannot be taken throws, and the metric is left out that time. */
export type Read = () => readonly Point[] | Promise<readonly Point[]>

/** One metric as it is published; the unit in UCUM: `s`, `By`, `{token}`. */
export type Metric = {
  readonly name: string
  readonly unit: string
  readonly description: string
} & (
  | { readonly kind: 'counter' | 'gauge'; readonly read: Read }
  | { readonly kind: 'histogram'; readonly family: Family<Histogram> }
)

/** A number that goes up and down. */
export function gauge(name: string, unit: string, description: string, read: Read): Metric {
  return { kind: 'gauge', name, unit, description, read }
}

/** A number that only grows. */
export function counter(
  name: string,
  unit: string,
  description: string,
  source: Read | Family<Counter>,
): Metric {
  const read = typeof source === 'function' ? source : () => pointsOf(source)
  return { kind: 'counter', name, unit, description, read }
}

/** A distribution. */
export function histogram(
  name: string,
  unit: string,
  description: string,
  family: Family<Histogram>,
): Metric {
  return { kind: 'histogram', name, unit, description, family }
}

function pointsOf(family: Family<Counter>): Point[] {
  return [...family.all()].map(({ labels, value }) => ({ labels, value: value.value }))
}
