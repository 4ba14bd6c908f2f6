import type { Admission, Digest } from '#attestation'
import type { Attest } from '#egress/evidence/attest.ts'
import type { Log } from '../log.ts'
import type { EvidenceStore } from './evidence.ts'
import { expectationBytes, expectationDocument, type WrittenApproval } from './expectation.ts'
import type { LineOf } from './line.ts'

/** What an admitting verdict rests on, as the journal names it. */
export type Basis = LineOf<'generation'>['verdict']

/** What the bases of an endpoint's verdicts are made of. */
export interface BasesDependencies {
  readonly endpoint: string
  /** The approval in force. */
  readonly approval: () => WrittenApproval
  readonly evidence: EvidenceStore
  readonly log: Log
  readonly now: () => Date
}

interface Judged {
  readonly bytes: Uint8Array | undefined
  readonly judgedAt: Date
  /** What it was judged by: another may be in force once something that went under the verdict has ended. */
  readonly approval: WrittenApproval
}

/** Knows what each verdict of an endpoint rests on, and keeps it once something goes under it: most see nothing. */
export class Bases {
  readonly #world: BasesDependencies
  readonly #judged = new WeakMap<Admission, Judged>()
  readonly #kept = new WeakMap<Admission, Basis>()

  constructor(world: BasesDependencies) {
    this.#world = world
  }

  /** Wraps a check, to remember the bundle of each verdict for as long as somebody holds the verdict. */
  watching(attest: Attest): Attest {
    return async (newest, signal) => {
      const outcome = await attest(newest, signal)
      if (outcome.kind === 'passed') {
        const { admission, bytes, judgedAt = this.#world.now() } = outcome
        this.#judged.set(admission, { bytes, judgedAt, approval: this.#world.approval() })
      }
      return outcome
    }
  }

  /** The basis of a verdict; its evidence is kept when it is asked for first. */
  of(admission: Admission): Basis {
    const known = this.#kept.get(admission)
    if (known !== undefined) return known
    const { bytes, judgedAt, approval } = this.#judged.get(admission) ?? {
      bytes: undefined,
      judgedAt: this.#world.now(),
      approval: this.#world.approval(),
    }
    const basis: Basis = {
      judged_at: judgedAt.toISOString(),
      evidence_digest: admission.digest,
      cert_fingerprint: admission.certFingerprint,
      bundle_digest: bytes === undefined ? null : this.#keep(bytes),
      expectation_digest: this.#keep(expectationBytes(expectationDocument(approval))),
    }
    this.#kept.set(admission, basis)
    return basis
  }

  #keep(bytes: Uint8Array): Digest | null {
    const { evidence, log, endpoint } = this.#world
    try {
      return evidence.keep(bytes)
    } catch (error) {
      log.error('the evidence of a verdict cannot be kept; no capsule can be made of what goes under it', {
        endpoint,
        error,
      })
      return null
    }
  }
}
