import { counter, gauge, type Metric } from '../operations/metric.ts'
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

/** How often somebody else has answered in the place of each external upstream. */
export function foreignAnswersMetric(upstreams: Pick<Upstreams, 'all'>): Metric {
  return counter(
    'router.upstreams.foreign_answers',
    '1',
    'Checks of an admitted upstream that somebody else answered; its verdict stood.',
    () =>
      [...upstreams.all].map(({ registration, foreignAnswers }) => ({
        value: foreignAnswers,
        labels: { endpoint: registration.name },
      })),
  )
}
