import { type Admission, AttestationError } from '#attestation'
import { limits } from '#contract/limits'
import { elapsedMs, type Moment } from '../clock.ts'
import type { Basis, Outcome } from '../evidence/attest.ts'

/** What is known of an endpoint (VERD-01). `pending` means that there is no verdict (VERD-24). */
export type Verdict =
  | { readonly state: 'pending'; readonly ground: AttestationError }
  | Denied
  | Admitted
  | { readonly state: 'disabled'; readonly ground: AttestationError }

/** A refusal with its reason. */
export interface Denied {
  readonly state: 'denied'
  readonly ground: AttestationError
  /** Whether it stays until an administrator acts, whatever later checks say. */
  readonly isSticky: boolean
}

/** A live verdict. Its age counts from the beginning of the check that it rests on. */
export interface Admitted {
  readonly state: 'admitted'
  readonly admission: Admission
  readonly basis: Basis
  readonly since: Moment
}

/** What differs between the verifiers (VERD-07, VERD-08, VERD-21). */
export interface VerdictRules {
  readonly lifeMs: number
  /** Whether the denial of an endpoint that was admitted is sticky. */
  readonly isDenialSticky: boolean
  /** Whether failures of a vendor's collateral leave a verdict to its life (VERD-33). */
  readonly isCollateralAwaited: boolean
}

/** The user's proxy. */
export const proxyRules: VerdictRules = {
  lifeMs: limits.proxyVerdictMs,
  isDenialSticky: false,
  isCollateralAwaited: false,
}

/** The router towards external upstreams. */
export const upstreamRules: VerdictRules = {
  lifeMs: limits.upstreamVerdictMs,
  isDenialSticky: true,
  isCollateralAwaited: true,
}

/** The state before the first check has ended. */
export const unjudged = {
  state: 'pending',
  ground: new AttestationError('attesting', 'verdict_pending'),
} satisfies Verdict

/** The state once a verdict's life is over. */
const expired: Verdict = { state: 'pending', ground: new AttestationError('attesting', 'verdict_expired') }

/** An administrator has taken the endpoint out of service. */
const disabled: Verdict = { state: 'disabled', ground: new AttestationError('attesting', 'disabled') }

/** The state after a check that began at some moment (VERD-15, VERD-16). */
export function afterCheck(verdict: Verdict, outcome: Outcome, since: Moment, rules: VerdictRules): Verdict {
  if (!isJudged(verdict)) return verdict
  if (outcome.kind === 'passed') {
    const { admission, basis } = outcome
    return { state: 'admitted', admission, basis, since }
  }
  if (verdict.state !== 'admitted') return { state: 'denied', ground: outcome.ground, isSticky: false }
  if (rules.isCollateralAwaited && isAboutCollateral(outcome)) return verdict
  return isReasonToDeny(outcome, verdict) ? afterWithdrawal(verdict, outcome.ground, rules) : verdict
}

/**
 * Whether a check failed by an answer that nothing ties to the endpoint that is admitted: a portal's page, a stranger's
 * certificate, evidence that somebody replays. The verdict stands, and whoever operates it wants to know.
 */
export function isForeign(verdict: Verdict, outcome: Outcome): boolean {
  return (
    verdict.state === 'admitted' &&
    isFailed(outcome) &&
    !isRenewing(outcome) &&
    !isAuthentic(outcome, verdict)
  )
}

/** The state once the approval of an endpoint is withdrawn: its pin, or a policy. */
export function afterWithdrawal(verdict: Verdict, ground: AttestationError, rules: VerdictRules): Verdict {
  if (verdict.state !== 'admitted') return verdict
  return { state: 'denied', ground, isSticky: rules.isDenialSticky }
}

/** Whether checks have a say: not while an administrator has the last word. */
export function isJudged(verdict: Verdict): boolean {
  return verdict.state !== 'disabled' && !(verdict.state === 'denied' && verdict.isSticky)
}

/** What an administrator, or another replica, has said of an endpoint; it outlives every check. */
export interface Standing {
  readonly isDisabled: boolean
  /** A sticky denial that nobody has lifted. */
  readonly denial: AttestationError | undefined
}

/** The state once a standing is known: whoever is neither disabled nor denied for good is judged by checks again. */
export function afterStanding(verdict: Verdict, { isDisabled, denial }: Standing): Verdict {
  if (isDisabled) return verdict.state === 'disabled' ? verdict : disabled
  if (denial === undefined) return isJudged(verdict) ? verdict : unjudged
  if (verdict.state === 'denied' && verdict.isSticky) return verdict
  return { state: 'denied', ground: denial, isSticky: true }
}

/** The state once time has passed: a verdict that nothing has renewed ends. */
export function afterTime(verdict: Verdict, now: Moment, rules: VerdictRules): Verdict {
  if (verdict.state !== 'admitted' || lifeLeftMs(verdict, now, rules) > 0) return verdict
  return expired
}

/** How long a verdict lives on, in milliseconds. */
export function lifeLeftMs({ since }: Admitted, now: Moment, { lifeMs }: VerdictRules): number {
  return lifeMs - elapsedMs(since, now)
}

/** How long to rest after a check, given how many in a row did not pass. */
export function restMs(failures: number): number {
  if (failures === 0) return limits.reattestMs
  return Math.min(limits.maxAttestRetryMs, limits.minAttestRetryMs * 2 ** (failures - 1))
}

type Failed = Extract<Outcome, { kind: 'failed' }>

/** A fetch that did not finish says nothing, and what a stranger brings about says nothing of the endpoint. */
function isReasonToDeny(outcome: Outcome, verdict: Admitted): boolean {
  return isFailed(outcome) && !isRenewing(outcome) && isAuthentic(outcome, verdict)
}

function isFailed(outcome: Outcome): outcome is Failed {
  return outcome.kind === 'failed'
}

/**
 * A platform may rotate its certificate before it signs anew, and an old bundle does not undo a new one: sockets with
 * another certificate are refused anyway.
 */
function isRenewing({ ground }: Failed): boolean {
  return (
    ground.stage === 'tls-fingerprint' ||
    (ground.stage === 'jws' && ground.reason === 'issued_at_rolled_back')
  )
}

const COLLATERAL: readonly string[] = ['collateral_expired', 'collateral_invalid']

/** Whether somebody has to fetch anew what a vendor says of hardware, and no more than that. */
function isAboutCollateral({ ground: { stage, reason } }: Exclude<Outcome, { kind: 'passed' }>): boolean {
  return stage === 'untrusted-root' && COLLATERAL.includes(reason)
}

/** Whether a failure is the endpoint's own: it came over its connection, or is about what it signed (VERD-20). */
function isAuthentic({ ground, observedLeaf }: Failed, { admission }: Admitted): boolean {
  return observedLeaf === admission.certFingerprint || ground.isOfSigned
}
