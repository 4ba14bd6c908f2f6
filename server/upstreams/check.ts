import { type Admission, AttestationError } from '#attestation'
import { limits } from '#contract/limits'
import type { Target } from '#egress/connection/target.ts'
import { type Attest, createAttest, type Outcome, type Passed } from '#egress/evidence/attest.ts'
import type { Log } from '../log.ts'
import type { Registration } from './registration.ts'
import type { AdmittedBundle, Recorded } from './sharing.ts'

/** What the check of one upstream needs from the world. */
export interface CheckDependencies {
  readonly target: Target
  /** What administrators say of it now. */
  readonly registration: () => Registration
  /** Shares an admission before anybody acts on it. */
  readonly record: (registration: Registration, bundle: AdmittedBundle) => Promise<Recorded>
  readonly now: () => Date
  readonly log: Log
  /** The check itself; tests pass one of their own. */
  readonly attest?: Attest
}

/**
 * Creates the check of an upstream. Its approval is read anew each time, and a check that it changed under counts for
 * nothing; an admission that cannot be shared is none.
 */
export function createCheck({
  target,
  registration,
  record,
  now,
  log,
  attest = createAttest(target, now),
}: CheckDependencies): (newest: Date | undefined, signal: AbortSignal) => Promise<Outcome> {
  async function share(judged: Registration, { admission, basis: { bytes } }: Passed) {
    const { digest, issuedAt } = admission
    try {
      return await record(judged, { digest, issuedAt, bytes })
    } catch (error) {
      log.error('an admission cannot be kept and does not count', { upstream: judged.name, error })
      return 'outdated'
    }
  }

  return async (_, signal) => {
    let wasOvertaken = false
    for (;;) {
      const judged = registration()
      const { roots, pins, newestIssuedAt } = judged
      const expected = { roots, pins, maxBundleAgeMs: limits.maxBundleAgeMs }
      const outcome = await attest(expected, newestIssuedAt, signal)
      if (registration().revision !== judged.revision && !signal.aborted) continue
      if (outcome.kind !== 'passed') return outcome
      const recorded = await share(judged, outcome)
      if (recorded === 'recorded') return outcome
      if (recorded === 'outdated') return undecided
      if (wasOvertaken || signal.aborted) return rolledBack(outcome.admission)
      // Another router fetched just after the platform signed anew, and was faster: what it saw is there for us, too.
      wasOvertaken = true
    }
  }
}

function rolledBack({ digest: evidenceDigest }: Admission): Outcome {
  return { kind: 'failed', ground: new AttestationError('jws', 'issued_at_rolled_back', { evidenceDigest }) }
}

/** No result: whoever has a verdict keeps it, whoever has none waits for the next check. */
const undecided: Outcome = {
  kind: 'unfinished',
  ground: new AttestationError('attesting', 'verdict_pending'),
}
