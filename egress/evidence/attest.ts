import {
  type Admission,
  AttestationError,
  type Digest,
  type Expectation,
  type TrustedRoot,
  verifyBundle,
} from '#attestation'
import type { Target } from '../connection/target.ts'
import { fetchBundle, UnfinishedFetch } from './fetch.ts'

/** How one check of an endpoint ended (decisions, 8). */
export type Outcome =
  | { readonly kind: 'passed'; readonly admission: Admission }
  /** The evidence could not be had: no result. */
  | { readonly kind: 'unfinished'; readonly ground: AttestationError }
  | { readonly kind: 'failed'; readonly ground: AttestationError }

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
  readonly maxBundleAgeMs: number
}

/** Creates the check of one endpoint: fetch, then verify against what was seen on the connection. */
export function createAttest(approval: Approval, now: () => Date): Attest {
  return async (newestIssuedAt, signal) => {
    try {
      const { bytes, observedLeaf } = await fetchBundle(approval.target, { signal })
      const expected = expectationOf(approval, observedLeaf, now(), newestIssuedAt)
      return { kind: 'passed', admission: await verifyBundle(bytes, expected) }
    } catch (thrown) {
      return outcomeOf(thrown)
    }
  }
}

function expectationOf(
  { target, roots, pins, maxBundleAgeMs }: Approval,
  observedLeaf: Digest,
  now: Date,
  newestIssuedAt: Date | undefined,
): Expectation {
  return {
    hostname: target.hostname,
    trustedRoots: roots,
    pins,
    observedLeaf,
    now,
    maxBundleAgeMs,
    ...(newestIssuedAt && { newestIssuedAt }),
  }
}

function outcomeOf(thrown: unknown): Outcome {
  if (thrown instanceof UnfinishedFetch) return { kind: 'unfinished', ground: thrown }
  if (thrown instanceof AttestationError) return { kind: 'failed', ground: thrown }
  // A verifier that breaks on a bundle has not admitted it.
  return {
    kind: 'failed',
    ground: new AttestationError('fetch', 'malformed_bundle', { cause: thrown }),
  }
}
