import { type Reason, type ReasonOf, reasons, type Stage, stages } from '#contract'
import type { Digest } from './digest.ts'

/** What a refusal carries beside its stage and reason. */
export interface AttestationErrorDetails {
  /** Digest of the snapshot, once its signature has been checked. */
  readonly evidenceDigest?: Digest | undefined
  readonly cause?: unknown
}

/** A stage, one of its own reasons, and the details. */
type Refusal = {
  [S in Stage]: [stage: S, reason: ReasonOf<S>, details?: AttestationErrorDetails]
}[Stage]

/** A refusal to admit an endpoint; stage and reason are of the closed catalogue (§7.5; decisions, 8). */
export class AttestationError extends Error {
  override readonly name = 'AttestationError'
  readonly stage: Stage
  readonly reason: Reason
  readonly evidenceDigest: Digest | undefined

  constructor(...[stage, reason, { evidenceDigest, cause } = {}]: Refusal) {
    super(meaningOf(stage, reason), cause === undefined ? undefined : { cause })
    this.stage = stage
    this.reason = reason
    this.evidenceDigest = evidenceDigest
  }

  /** The last stage that passed: as they run in a fixed order, the one before the stage that refused. */
  get verifiedThrough(): Stage | null {
    return this.stage === 'attesting' ? null : (stages[stages.indexOf(this.stage) - 1] ?? null)
  }
}

/** Reads with code that may throw anything; whatever it throws becomes one refusal. */
export function readOrRefuse<T, S extends Stage>(stage: S, reason: ReasonOf<S>, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof AttestationError) throw cause
    throw new AttestationError(...([stage, reason, { cause }] as unknown as Refusal))
  }
}

function meaningOf(stage: Stage, reason: Reason): string {
  const entries: Readonly<Partial<Record<Reason, { readonly meaning: string }>>> = reasons[stage]
  return entries[reason]?.meaning ?? reason
}
