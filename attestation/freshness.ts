import { limits } from '#contract/limits'
import { AttestationError } from './errors.ts'

/** What the time of signing is judged against. */
export interface FreshnessExpectation {
  readonly now: Date
  /** Age of the oldest signature that is accepted, in milliseconds. */
  readonly maxBundleAgeMs: number
  /** The newest `issuedAt` that was accepted from this endpoint; an older one is refused. */
  readonly newestIssuedAt?: Date | undefined
}

/**
 * Refuses (`jws`) a time of signing that is older than the maximum (`bundle_stale`), further ahead than clocks may
 * differ (`issued_in_future`) or before the newest accepted (`issued_at_rolled_back`); exactly at a bound passes
 * (VRFY-16, VRFY-17).
 */
export function checkFreshness(
  issuedAt: Date,
  { now, maxBundleAgeMs, newestIssuedAt }: FreshnessExpectation,
): void {
  const ageMs = now.getTime() - issuedAt.getTime()
  if (!(ageMs <= maxBundleAgeMs)) throw new AttestationError('jws', 'bundle_stale')
  if (!(-ageMs <= limits.maxClockSkewMs)) throw new AttestationError('jws', 'issued_in_future')
  if (newestIssuedAt && !(issuedAt >= newestIssuedAt))
    throw new AttestationError('jws', 'issued_at_rolled_back')
}
