import { type Reason, type ReasonEntry, type ReasonOf, reasons, type Stage, stages } from '#contract/reasons'
import type { Digest } from './digest.ts'

/** What a refusal carries beside its stage and reason. */
export interface AttestationErrorDetails {
  /** Digest of the snapshot, once its signature has been checked. */
  readonly evidenceDigest?: Digest | undefined
  /** Name of the policy that refuses. */
  readonly policy?: string | undefined
  readonly cause?: unknown
}

/** A stage, one of its own reasons, and the details. */
type Refusal = {
  [S in Stage]: [stage: S, reason: ReasonOf<S>, details?: AttestationErrorDetails]
}[Stage]

/** A refusal to admit an endpoint; stage and reason are of the closed catalogue (VRFY-02). */
export class AttestationError extends Error {
  override readonly name = 'AttestationError'
  readonly stage: Stage
  readonly reason: Reason
  readonly evidenceDigest: Digest | undefined

  constructor(...[stage, reason, { evidenceDigest, policy, cause } = {}]: Refusal) {
    const called = policy === undefined ? '' : ` It is called "${policy}".`
    super((findEntry(stage, reason)?.meaning ?? reason) + called, cause === undefined ? undefined : { cause })
    this.stage = stage
    this.reason = reason
    this.evidenceDigest = evidenceDigest
  }

  /** What the user can do about it, as a sentence; empty for a pair that is not in the catalogue. */
  get remedy(): string {
    return findEntry(this.stage, this.reason)?.remedy ?? ''
  }

  /**
   * Whether the signed content itself was refused: its digest, or the policy. `verifyBundle` gets that far only with a
   * trusted root's signature for this hostname that is fresh and not older than the last, so no stranger can cause it.
   * Any other refusal can be had by replaying public evidence or by answering garbage.
   */
  get isOfSigned(): boolean {
    return this.stage === 'policy' || (this.stage === 'jws' && this.reason === 'digest_mismatch')
  }

  /** The last stage that passed: as they run in a fixed order, the one before the stage that refused. */
  get verifiedThrough(): Stage | null {
    return this.stage === 'attesting' ? null : (stages[stages.indexOf(this.stage) - 1] ?? null)
  }
}

/** Gives what `read` returns. An `AttestationError` that it throws passes through; all else becomes this refusal. */
export function readOrRefuse<T, S extends Stage>(stage: S, reason: ReasonOf<S>, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof AttestationError) throw cause
    throw new AttestationError(...([stage, reason, { cause }] as unknown as Refusal))
  }
}

function findEntry(stage: Stage, reason: Reason): ReasonEntry | undefined {
  const entries: Readonly<Partial<Record<Reason, ReasonEntry>>> = reasons[stage]
  return entries[reason]
}
