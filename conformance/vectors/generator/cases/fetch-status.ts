import type { Vector } from '#contract/models'
import { admitted, type Question, refused } from '../vector.ts'

const statuses: readonly (readonly [number, string, Question])[] = [
  [201, 'http_status', {}],
  [204, 'http_status', { raw: '', isHopeless: true }],
  [206, 'http_status', {}],
  [403, 'http_status', {}],
  [404, 'http_status', {}],
  [429, 'http_status', {}],
  [500, 'http_status', {}],
  [503, 'http_status', {}],
  [301, 'redirected', {}],
  [302, 'redirected', {}],
  [303, 'redirected', {}],
  [307, 'redirected', {}],
  [308, 'redirected', {}],
]

/** The status of the answer: a good bundle in its body changes nothing. */
export const statusVectors: readonly Vector[] = [
  ...admitted('fetch', 'VRFY-04', {
    'status-200': ['An answer with status 200 is taken', { status: 200, needs: ['status'] }],
  }),
  ...statuses.flatMap(([status, reason, question]) =>
    refused('fetch', reason, 'VRFY-04', {
      [`status-${status}`]: [
        `An answer with status ${status} is refused, whatever stands in it`,
        { ...question, status, needs: ['status'] },
      ],
    }),
  ),
]
