import { AttestationError, type Expectation } from '#attestation'
import type { Attest, Outcome, Passed } from './attest.ts'

/** What became of an admission that was to be recorded. */
export type Recorded =
  | 'recorded'
  /** An administrator, or another replica, has changed the registration since the check began. */
  | 'outdated'
  /** A newer signature has been accepted elsewhere. */
  | 'rolled_back'

/** What outlives a check, and the program (VERD-11, VERD-27). */
export interface Memory {
  /** The newest time of signing that was accepted. */
  newestIssuedAt(): Date | undefined
  /** Records an admission before anybody acts on it; one that cannot be recorded does not count. */
  record(passed: Passed): Recorded | Promise<Recorded>
}

/** What checks are made with. */
export interface CheckDependencies {
  readonly attest: Attest
  /** What is expected now, the same object for as long as nobody says otherwise. */
  readonly expected: () => Expectation
  readonly memory: Memory
  /** Told why an admission could not be recorded. */
  readonly onThrown: (error: unknown) => void
}

/** Creates the check of an endpoint by what is expected when it ends: one that this changed under is made again. */
export function createCheck(world: CheckDependencies): (signal: AbortSignal) => Promise<Outcome> {
  const { attest, expected, memory, onThrown } = world

  async function record(passed: Passed): Promise<Recorded> {
    try {
      return await memory.record(passed)
    } catch (thrown) {
      onThrown(thrown)
      return 'outdated'
    }
  }

  return async (signal) => {
    let wasOvertaken = false
    for (;;) {
      const judged = expected()
      const outcome = await attest(judged, memory.newestIssuedAt(), signal)
      // Nobody looks at what comes of a check that was given up.
      if (signal.aborted) return outcome
      if (expected() !== judged) continue
      if (outcome.kind !== 'passed') return outcome
      const recorded = await record(outcome)
      if (recorded === 'recorded') return outcome
      if (recorded === 'outdated') return undecided
      if (wasOvertaken || signal.aborted) return rolledBack(outcome)
      // Another router fetched just after the platform signed anew, and was faster: what it saw is there for us, too.
      wasOvertaken = true
    }
  }
}

function rolledBack({ admission: { digest: evidenceDigest } }: Passed): Outcome {
  return { kind: 'failed', ground: new AttestationError('jws', 'issued_at_rolled_back', { evidenceDigest }) }
}

/** No result: whoever has a verdict keeps it, whoever has none waits for the next check. */
const undecided: Outcome = {
  kind: 'unfinished',
  ground: new AttestationError('attesting', 'verdict_pending'),
}
