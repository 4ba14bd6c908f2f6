import { type Admission, AttestationError } from '#attestation'
import { limits } from '#contract'
import { elapsedMs, type Moment } from '../clock.ts'
import type { Outcome } from '../evidence/attest.ts'

/** What is known of an endpoint (§3.2). `pending` is the table's "none". */
export type Verdict =
  | { readonly state: 'pending'; readonly ground: AttestationError }
  | { readonly state: 'denied'; readonly ground: AttestationError }
  | Admitted

/** A live verdict. Its age counts from the beginning of the check that it rests on. */
export interface Admitted {
  readonly state: 'admitted'
  readonly admission: Admission
  readonly since: Moment
}

/** The state before the first check has ended. */
export const unjudged: Verdict = {
  state: 'pending',
  ground: new AttestationError('attesting', 'verdict_pending'),
}

/** The state after a check that began at some moment (decisions, 8). */
export function afterCheck(verdict: Verdict, outcome: Outcome, since: Moment): Verdict {
  if (outcome.kind === 'passed') return { state: 'admitted', admission: outcome.admission, since }
  if (verdict.state === 'admitted' && isNoReasonToDeny(outcome)) return verdict
  return { state: 'denied', ground: outcome.ground }
}

/** The state once time has passed: a verdict that nothing has renewed ends. */
export function afterTime(verdict: Verdict, now: Moment): Verdict {
  if (verdict.state !== 'admitted' || lifeLeftMs(verdict, now) > 0) return verdict
  return { state: 'pending', ground: new AttestationError('attesting', 'verdict_expired') }
}

/** How long a verdict lives on, in milliseconds. */
export function lifeLeftMs({ since }: Admitted, now: Moment): number {
  return limits.proxyVerdictMs - elapsedMs(since, now)
}

/** How long to rest after a check, given how many in a row did not pass. */
export function restMs(failures: number): number {
  if (failures === 0) return limits.reattestMs
  return Math.min(limits.maxAttestRetryMs, limits.minAttestRetryMs * 2 ** (failures - 1))
}

/**
 * A fetch that did not finish says nothing. A platform may rotate its certificate before it signs anew, and an old
 * bundle does not undo a new one: sockets with another certificate are refused anyway.
 */
function isNoReasonToDeny({ kind, ground }: Exclude<Outcome, { kind: 'passed' }>): boolean {
  return (
    kind === 'unfinished' ||
    ground.stage === 'tls-fingerprint' ||
    (ground.stage === 'jws' && ground.reason === 'issued_at_rolled_back')
  )
}
