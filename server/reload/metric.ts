import { gauge, type Metric } from '../operations/metric.ts'
import type { Editions } from './editions.ts'
import type { Reloader } from './reloader.ts'

const MS = 1_000

/** What an operator sees of the configuration in force. */
export function reloadMetrics(
  editions: Pick<Editions, 'current' | 'olderCount'>,
  reloader: Pick<Reloader, 'refusal'>,
): readonly Metric[] {
  return [
    gauge('router.config.info', '1', '1 for the version of the configuration that is in force.', () => [
      { value: 1, labels: { version: editions.current.version } },
    ]),
    gauge('router.config.taken_up', 's', 'When it was taken up, since 1970.', () => [
      { value: editions.current.since.getTime() / MS },
    ]),
    gauge('router.config.refused', '1', '1 while the last reload is one that was refused.', () => [
      { value: reloader.refusal === undefined ? 0 : 1 },
    ]),
    gauge('router.config.older_requests', '{request}', 'Requests that go by an older configuration.', () => [
      { value: editions.olderCount },
    ]),
  ]
}
