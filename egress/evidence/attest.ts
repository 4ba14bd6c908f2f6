import { type Admission, AttestationError, type Digest, type Expectation, verifyBundle } from '#attestation'
import type { Target } from '../connection/target.ts'
import { type FetchOptions, fetchBundle, UnfinishedFetch } from './fetch.ts'

/** What an admission rests on, for whoever keeps it or shows it later. */
export interface Basis {
  /** The bundle as it came. */
  readonly bytes: Uint8Array
  /** The clock that it was judged by. */
  readonly judgedAt: Date
  /** What was expected then; it may be something else once what went under the verdict has ended. */
  readonly expected: Expectation
}

/** A check that passed. */
export interface Passed {
  readonly kind: 'passed'
  readonly admission: Admission
  readonly basis: Basis
}

/** How one check of an endpoint ended (VERD-12, VERD-13). */
export type Outcome =
  | Passed
  /** The evidence could not be had: no result. */
  | { readonly kind: 'unfinished'; readonly ground: AttestationError }
  | {
      readonly kind: 'failed'
      readonly ground: AttestationError
      /** The certificate of the connection that the answer came over. */
      readonly observedLeaf?: Digest | undefined
    }

/**
 * One check of an endpoint; it never throws. It is given what is expected, the newest time of signing that was accepted
 * before, and a signal that gives it up.
 */
export type Attest = (
  expected: Expectation,
  newestIssuedAt: Date | undefined,
  signal: AbortSignal,
) => Promise<Outcome>

/** Creates the check of one endpoint: fetch, then verify against what was seen on the connection. */
export function createAttest(
  target: Target,
  now: () => Date,
  { timeoutMs }: Pick<FetchOptions, 'timeoutMs'> = {},
): Attest {
  return async (expected, newestIssuedAt, signal) => {
    let leaf: Digest | undefined
    const onLeaf = (seen: Digest) => {
      leaf = seen
    }
    try {
      const options = { signal, onLeaf, ...(timeoutMs !== undefined && { timeoutMs }) }
      const { bytes, observedLeaf } = await fetchBundle(target, options)
      const judgedAt = now()
      const circumstances = { hostname: target.hostname, observedLeaf, now: judgedAt, newestIssuedAt }
      const admission = await verifyBundle(bytes, { ...expected, ...circumstances })
      return { kind: 'passed', admission, basis: { bytes, judgedAt, expected } }
    } catch (thrown) {
      return outcomeOf(thrown, leaf)
    }
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
