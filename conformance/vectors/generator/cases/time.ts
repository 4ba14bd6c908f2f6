import type { Vector, VectorExpectation } from '#contract/models'
import { admitted, type Question, refused } from '../vector.ts'

/** A bundle signed at some time, which the envelope repeats. */
function signedAt(issuedAt: string, expect: Partial<VectorExpectation> = {}): Question {
  return { payload: { issuedAt }, envelope: { issuedAt }, expect }
}

const DAY_AGO = '2026-05-31T12:00:00.000Z'
const HOUR = { max_bundle_age_ms: 3_600_000 }

/** When it was signed: the exact boundaries. */
export const timeVectors: readonly Vector[] = [
  ...admitted('jws', 'VRFY-16', {
    'exactly-a-day-old': ['A signature exactly as old as is accepted passes', signedAt(DAY_AGO)],
    'exactly-an-hour-old': [
      'A shorter age that is configured counts, to the millisecond',
      signedAt('2026-06-01T11:00:00.000Z', HOUR),
    ],
    'exactly-a-minute-ahead': [
      'A signature exactly 60 seconds ahead passes',
      signedAt('2026-06-01T12:01:00.000Z'),
    ],
    'signed-this-moment': ['A signature of this moment passes', signedAt('2026-06-01T12:00:00Z')],
    'another-zone': ['A time of signing may be told in another zone', signedAt('2026-06-01T13:58:30+02:00')],
  }),
  ...refused('jws', 'bundle_stale', 'VRFY-16', {
    'a-millisecond-too-old': [
      'A signature one millisecond older than is accepted is refused',
      signedAt('2026-05-31T11:59:59.999Z'),
    ],
    'a-millisecond-over-an-hour': [
      'A shorter age that is configured refuses one millisecond beyond it',
      signedAt('2026-06-01T10:59:59.999Z', HOUR),
    ],
    'years-old': ['A signature of years ago is refused', signedAt('2020-01-01T00:00:00Z')],
    'too-old-by-its-zone': [
      'The zone of a time of signing counts',
      signedAt('2026-05-31T13:59:59.999+02:00'),
    ],
  }),
  ...refused('jws', 'issued_in_future', 'VRFY-16', {
    'a-millisecond-too-far': [
      'A signature 60 seconds and a millisecond ahead is refused',
      signedAt('2026-06-01T12:01:00.001Z'),
    ],
    tomorrow: ['A signature of tomorrow is refused', signedAt('2026-06-02T12:00:00Z')],
  }),
  ...admitted('jws', 'VRFY-17', {
    'same-as-the-newest': [
      'The newest bundle that was accepted is accepted again',
      { expect: { newest_issued_at: '2026-06-01T11:58:30.250Z' } },
    ],
    'newer-than-the-newest': [
      'A newer bundle is accepted',
      { expect: { newest_issued_at: '2026-06-01T11:58:30.249Z' } },
    ],
  }),
  ...refused('jws', 'issued_at_rolled_back', 'VRFY-17', {
    'a-millisecond-back': [
      'A bundle one millisecond older than the newest accepted one is refused',
      {
        expect: { newest_issued_at: '2026-06-01T11:58:30.251Z' },
      },
    ],
    'an-hour-back': [
      'An old bundle that is played back is refused, fresh as it may be',
      {
        expect: { newest_issued_at: '2026-06-01T12:00:00Z' },
      },
    ],
  }),
]
