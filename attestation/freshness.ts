import { limits } from '#contract/limits'
import { AttestationError } from './errors.ts'

/** What the time of signing is judged against. */
export interface FreshnessExpectation {
  readonly now: Date
  /** Age of the oldest signature that is accepted, in milliseconds. */
  readonly maxBundleAgeMs: number
  /** The newest time of signing that was accepted of this endpoint; nothing older is, ever again. */
  readonly newestIssuedAt?: Date | undefined
}

/** Passes a time of signing that is neither too old, nor in the future, nor rolled back; edges pass (VRFY-16). */
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
