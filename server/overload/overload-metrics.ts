import type { Point } from '#base/metrics.ts'
import { counter, gauge, type Metric } from '../operations/metric.ts'
import type { Connections } from './connections.ts'
import { type Overload, type OverloadUsage, stages } from './overload.ts'

/** What an operator sees of what the router has in hand. */
export function overloadMetrics(
  overload: Pick<Overload, 'usage'>,
  connections: Pick<Connections, 'usage'>,
): readonly Metric[] {
  return [
    gauge('router.requests.held', '{request}', 'Requests for inference in hand, by how far they are.', () =>
      byStage(overload.usage, 'count'),
    ),
    gauge('router.requests.limit', '{request}', 'How many there may be.', () =>
      byStage(overload.usage, 'bound'),
    ),
    counter('router.requests.shed', '{request}', 'Requests that were one too many, by where.', () =>
      stages.map((stage) => ({ value: overload.usage.refused[stage], labels: { stage } })),
    ),
    gauge('router.connections.open', '{connection}', 'Connections of clients.', () => [
      { value: connections.usage.open },
    ]),
    gauge('router.connections.limit', '{connection}', 'How many there may be.', () => [
      { value: connections.usage.most },
    ]),
    counter('router.connections.refused', '{connection}', 'Connections that were one too many.', () => [
      { value: connections.usage.refused },
    ]),
  ]
}

function byStage({ held, judged }: OverloadUsage, what: 'count' | 'bound'): readonly Point[] {
  const waiting = judged.map(({ cell, [what]: value }) => {
    return { value, labels: { stage: 'judged', ...(cell !== undefined && { cell }) } }
  })
  return [{ value: held[what], labels: { stage: 'held' } }, ...waiting]
}
