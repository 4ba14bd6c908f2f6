import type { IncomingMessage, ServerResponse } from 'node:http'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import type { Log } from '../log.ts'
import type { Labels } from './family.ts'
import type { Metric } from './metric.ts'

/** Answers a request with all metrics as they are now, in Prometheus' text form. */
export type Exposition = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Publishes metrics through OpenTelemetry's SDK, which is handed them ready. Its own instruments cost more for one
 * value than ours for a whole request, and go on publishing the last reading where none can be taken.
 */
export function createExposition(metrics: readonly Metric[], log: Log): Exposition {
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
    metricProducers: [producerOf(metrics, log)],
  })
  // A reader works for a provider; this one has no instruments of its own.
  new MeterProvider({ readers: [exporter] })
  return (request, response) => exporter.getMetricsRequestHandler(request, response)
}

type HrTime = [seconds: number, nanoseconds: number]

interface Span {
  readonly startTime: HrTime
  readonly endTime: HrTime
}

function producerOf(metrics: readonly Metric[], log: Log): MetricProducer {
  const startTime = toHrTime(Date.now())
  return {
    async collect() {
      const span = { startTime, endTime: toHrTime(Date.now()) }
      const published = await Promise.all(metrics.map((metric) => publish(metric, span, log)))
      const scopeMetrics = [
        { scope: { name: 'router' }, metrics: published.filter((data) => data !== undefined) },
      ]
      // The reader puts the provider's own resource in the place of this one.
      const resource = {} as ResourceMetrics['resource']
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] }
    },
  }
}

/** The SDK's `ValueType.DOUBLE`, which only its API package exports. */
const DOUBLE = 1

/** Undefined when a reading could not be taken. */
async function publish(metric: Metric, span: Span, log: Log): Promise<MetricData | undefined> {
  const { name, unit, description } = metric
  const common = {
    descriptor: { name, unit, description, valueType: DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const pointOf = <Value>(value: Value, attributes: Labels = {}) => ({ ...span, attributes, value })
  if (metric.kind === 'histogram') {
    const dataPoints = [...metric.family.all()].map(({ labels, value }) => {
      const buckets = { boundaries: [...value.boundaries], counts: [...value.counts] }
      return pointOf({ buckets, count: value.count, sum: value.sum }, labels)
    })
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }
  }
  try {
    const dataPoints = (await metric.read()).map(({ value, labels }) => pointOf(value, labels))
    if (metric.kind === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
  } catch (error) {
    log.warn('a metric could not be read', { metric: name, error })
    return undefined
  }
}

function toHrTime(ms: number): HrTime {
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000]
}
