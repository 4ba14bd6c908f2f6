import type { Digest } from '#attestation'
import type { Admitted } from '#egress/verdict/verdict.ts'
import type { Log } from '../log.ts'
import type { EvidenceStore } from './evidence.ts'
import { expectationBytes, expectationDocument } from './expectation.ts'
import type { LineOf } from './line.ts'

/** What an admitting verdict rests on, as the journal names it. */
export type BasisLine = LineOf<'generation'>['verdict']

/** What is needed to keep what an endpoint's verdicts rest on. */
export interface BasesDependencies {
  readonly endpoint: string
  readonly hostname: string
  readonly evidence: EvidenceStore
  readonly log: Log
}

/** Keeps what a verdict rests on, once something goes under it: most see nothing. */
export class Bases {
  readonly #world: BasesDependencies
  /** The one that was kept last: what follows goes mostly under the same verdict. */
  #last: { readonly verdict: Admitted; readonly line: BasisLine } | undefined

  constructor(world: BasesDependencies) {
    this.#world = world
  }

  /** Keeps bundle and expectation of a verdict, and names them; what cannot be kept is null. */
  keep(verdict: Admitted): BasisLine {
    if (this.#last?.verdict !== verdict) this.#last = { verdict, line: this.#lineOf(verdict) }
    return this.#last.line
  }

  #lineOf({ admission, basis: { bytes, judgedAt, expected } }: Admitted): BasisLine {
    return {
      judged_at: judgedAt.toISOString(),
      evidence_digest: admission.digest,
      cert_fingerprint: admission.certFingerprint,
      bundle_digest: this.#keep(bytes),
      expectation_digest: this.#keep(expectationBytes(expectationDocument(this.#world.hostname, expected))),
    }
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
