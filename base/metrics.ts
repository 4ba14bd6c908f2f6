import { visible } from './foreign-text.ts'

/** The type of Prometheus' text form, as an HTTP header has it. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What tells the series of one metric apart. */
export type Labels = Readonly<Record<string, string>>

/** One reading; `part` is of a histogram's: `_count`, `_sum` or `_bucket`. */
export interface Point {
  readonly value: number
  readonly labels?: Labels
  readonly part?: string
}

/** What a metric is called and counts; the unit in UCUM: `s`, `By`, `{token}`. */
export interface MetricHead {
  /** OpenTelemetry's spelling may be used, with dots; so in the names of labels. */
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly unit?: string
  readonly description: string
}

/** A metric as it is now. */
export interface ReadMetric extends MetricHead {
  readonly points: readonly Point[]
}

/** Writes metrics in Prometheus' text form, in the given order; a counter is called `…_total`. */
export function printMetrics(metrics: readonly ReadMetric[]): string {
  return metrics.map(printMetric).join('')
}

function printMetric({ name, kind, unit, description, points }: ReadMetric): string {
  const plain = spell(name)
  const spelled = kind === 'counter' && !plain.endsWith('_total') ? `${plain}_total` : plain
  const lines = [
    `# HELP ${spelled} ${escapeText(description)}`,
    ...(unit === undefined ? [] : [`# UNIT ${spelled} ${unit}`]),
    `# TYPE ${spelled} ${kind}`,
    ...points.map(({ value, labels, part = '' }) => `${spelled}${part}${printLabels(labels)} ${value}`),
  ]
  return `${lines.join('\n')}\n`
}

function printLabels(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${spell(label)}="${escapeText(text).replaceAll('"', '\\"')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join()}}`
}

function spell(name: string): string {
  return name.replaceAll('.', '_')
}

function escapeText(text: string): string {
  return visible(text).replaceAll('\\', '\\\\')
}
