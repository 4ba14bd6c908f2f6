import { counter, gauge, type Metric } from '../operations/metric.ts'
import type { Upstreams } from './upstreams.ts'

const states = ['pending', 'denied', 'admitted', 'disabled'] as const

/** What this router holds of each external upstream: 1 for the state that it is in, 0 for the others. */
function verdictMetric(upstreams: Pick<Upstreams, 'all'>): Metric {
  return gauge('router.upstreams.verdict', '1', '1 for the state of the verdict on an upstream.', () =>
    [...upstreams.all].flatMap(({ registration, endpoint }) => {
      const current = endpoint.verdict.state
      return states.map((state) => ({
        value: state === current ? 1 : 0,
        labels: { endpoint: registration.name, state },
      }))
    }),
  )
}

/** How often somebody else has answered in the place of each external upstream. */
function foreignAnswersMetric(upstreams: Pick<Upstreams, 'all'>): Metric {
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

/** Requests of which nothing is sent, because an upstream shows a certificate that it has not signed for. */
function waitingMetric(upstreams: Pick<Upstreams, 'all'>): Metric {
  return gauge(
    'router.upstreams.waiting',
    '{request}',
    'Requests that wait for the certificate of an upstream to be signed for.',
    () =>
      [...upstreams.all].map(({ registration, endpoint }) => ({
        value: endpoint.waiting,
        labels: { endpoint: registration.name },
      })),
  )
}

/** All that is published of external upstreams. */
export function upstreamMetrics(upstreams: Pick<Upstreams, 'all'>): Metric[] {
  return [verdictMetric(upstreams), foreignAnswersMetric(upstreams), waitingMetric(upstreams)]
}
