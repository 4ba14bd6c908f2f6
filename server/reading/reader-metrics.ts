import { counter, gauge, type Metric } from '../operations/metric.ts'
import { type Reader, readFailures } from './reader.ts'

/** What an operator sees of the reading of large bodies. */
export function readerMetrics(reader: Pick<Reader, 'usage'>): readonly Metric[] {
  return [
    gauge('router.bodies.queued', '{request}', 'Requests whose large bodies wait to be read.', () => [
      { value: reader.usage.waiting },
    ]),
    counter(
      'router.bodies.unread',
      '{request}',
      'Requests whose large bodies were not read: too many before them, too slow, or their reader died.',
      () => readFailures.map((cause) => ({ value: reader.usage.failed[cause], labels: { cause } })),
    ),
  ]
}
