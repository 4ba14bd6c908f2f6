import {
  type Admission,
  AttestationError,
  type Digest,
  type Expectation,
  type Policy,
  type TrustedRoot,
  verifyBundle,
} from '#attestation'
import type { Target } from '../connection/target.ts'
import { type FetchOptions, fetchBundle, UnfinishedFetch } from './fetch.ts'

/** How one check of an endpoint ended (VERD-12, VERD-13). */
export type Outcome =
  | {
      readonly kind: 'passed'
      readonly admission: Admission
      /** The bundle as it came, and the clock that it was judged by: for whoever keeps what a verdict rests on. */
      readonly bytes?: Uint8Array
      readonly judgedAt?: Date
    }
  /** The evidence could not be had: no result. */
  | { readonly kind: 'unfinished'; readonly ground: AttestationError }
  | {
      readonly kind: 'failed'
      readonly ground: AttestationError
      /** The certificate of the connection that the answer came over. */
      readonly observedLeaf?: Digest | undefined
    }

/**
 * One check; it never throws. It is given the newest time of signing that was accepted before, and a signal that
 * gives it up.
 */
export type Attest = (newestIssuedAt: Date | undefined, signal: AbortSignal) => Promise<Outcome>

/** What a user expects of an endpoint. */
export interface Approval {
  readonly target: Target
  readonly roots: readonly TrustedRoot[]
  readonly pins: readonly Digest[]
  /** Further conditions; each must allow. */
  readonly policies?: readonly Policy[] | undefined
  readonly maxBundleAgeMs: number
}

/** Creates the check of one endpoint: fetch, then verify against what was seen on the connection. */
export function createAttest(
  approval: Approval,
  now: () => Date,
  { timeoutMs }: Pick<FetchOptions, 'timeoutMs'> = {},
): Attest {
  return async (newestIssuedAt, signal) => {
    let leaf: Digest | undefined
    const onLeaf = (seen: Digest) => {
      leaf = seen
    }
    try {
      const options = { signal, onLeaf, ...(timeoutMs !== undefined && { timeoutMs }) }
      const { bytes, observedLeaf } = await fetchBundle(approval.target, options)
      const judgedAt = now()
      const expected = expectationOf(approval, observedLeaf, judgedAt, newestIssuedAt)
      return { kind: 'passed', admission: await verifyBundle(bytes, expected), bytes, judgedAt }
    } catch (thrown) {
      return outcomeOf(thrown, leaf)
    }
  }
}

function expectationOf(
  { target, roots, pins, policies, maxBundleAgeMs }: Approval,
  observedLeaf: Digest,
  now: Date,
  newestIssuedAt: Date | undefined,
): Expectation {
  return {
    hostname: target.hostname,
    trustedRoots: roots,
    pins,
    policies,
    observedLeaf,
    now,
    maxBundleAgeMs,
    ...(newestIssuedAt && { newestIssuedAt }),
  }
}

/** What a check comes to that threw, given the certificate that it saw, if it came so far. */
export function outcomeOf(thrown: unknown, observedLeaf?: Digest): Outcome {
  if (thrown instanceof UnfinishedFetch) return { kind: 'unfinished', ground: thrown }
  const isRefusal = thrown instanceof AttestationError
  // A verifier that breaks on a bundle has not admitted it.
  const ground = isRefusal ? thrown : new AttestationError('fetch', 'malformed_bundle', { cause: thrown })
  return { kind: 'failed', ground, observedLeaf }
}
