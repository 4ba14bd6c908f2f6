import { gauge, type Metric } from '../operations/metric.ts'
import type { Upstreams } from './upstreams.ts'

const states = ['pending', 'denied', 'admitted', 'disabled'] as const

/** What this router holds of each external upstream: 1 for the state that it is in, 0 for the others. */
export function verdictMetric(upstreams: Pick<Upstreams, 'all'>): Metric {
  return gauge('router.upstreams.verdict', '1', '1 for the state of the verdict on an upstream.', () =>
    [...upstreams.all].flatMap(({ registration, attestor }) => {
      const current = attestor.verdict.state
      return states.map((state) => ({
        value: state === current ? 1 : 0,
        labels: { endpoint: registration.name, state },
      }))
    }),
  )
}
