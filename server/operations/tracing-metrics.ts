import type { Tracer } from '../tracing/tracer.ts'
import { counter, type Metric } from './metric.ts'

/** What became of a router's spans; a router without traces has no such metric. */
export function tracingMetrics({ exported }: Pick<Tracer, 'exported'>): readonly Metric[] {
  return [
    counter('router.traces.spans', '{span}', 'Spans by what became of them.', () => [
      { value: exported.sent, labels: { outcome: 'sent' } },
      { value: exported.refused, labels: { outcome: 'refused' } },
      { value: exported.crowdedOut, labels: { outcome: 'crowded_out' } },
    ]),
  ]
}
