/** Why a call to a backend came to nothing; closed, so that it may label a metric. */
export const failureCauses = [
  /** No connection came about. */
  'unreachable',
  /** The connection was lost after something was sent. */
  'lost',
  /** It said nothing for too long. */
  'silent',
  /** It answered that it cannot serve now: 429, 502, 503, 504. */
  'refused',
  /** It answered with another error of its own: 401, 403, 404, 408, 5xx and what is no answer. */
  'failed',
] as const

export type FailureCause = (typeof failureCauses)[number]

/** What the calls to one backend have come to since the start. */
export interface Tally {
  /** Requests that were begun to be sent to it. */
  requests: number
  readonly failures: Record<FailureCause, number>
}

/** A tally of nothing. */
export function createTally(): Tally {
  return { requests: 0, failures: { unreachable: 0, lost: 0, silent: 0, refused: 0, failed: 0 } }
}
