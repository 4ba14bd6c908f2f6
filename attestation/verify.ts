import { type BindingExpectation, bindConnection, type ChannelBinding } from './binding.ts'
import { readBundle } from './bundle.ts'
import { checkChain, readChain, rootOf } from './chain.ts'
import type { Digest } from './digest.ts'
import { checkFreshness, type FreshnessExpectation } from './freshness.ts'
import { parseInstant } from './instant.ts'
import { openJws } from './jws.ts'
import { matchesEnvelope, readPayload } from './payload.ts'
import { type Candidate, checkPolicy, type PolicyExpectation } from './policy.ts'
import { checkRoot, requiresLeafName, type TrustedRoot } from './roots.ts'
import { checkSnapshot } from './snapshot.ts'

/** What is expected of an endpoint: a user's word, which holds for each of its bundles until it is changed. */
export interface Expectation extends PolicyExpectation, Pick<FreshnessExpectation, 'maxBundleAgeMs'> {
  readonly roots: readonly TrustedRoot[]
}

/** What is known when one bundle is judged. The clock and all memory are the caller's. */
export interface Circumstances
  extends BindingExpectation,
    Pick<FreshnessExpectation, 'now' | 'newestIssuedAt'> {
  /** The hostname that was asked. */
  readonly hostname: string
}

/** An endpoint that passed every stage; its values are the signed ones. */
export interface Admission extends Candidate {
  /** SHA-256 of the TLS leaf that every connection to the endpoint must show. */
  readonly certFingerprint: Digest
  readonly channelBinding: ChannelBinding
  readonly rootFingerprint: Digest
}

/**
 * Admits an endpoint on the evidence that it published, or throws the first refusal as an `AttestationError`. The
 * stages and their order are part of the contract (VRFY-01); there is no third outcome.
 */
export async function verifyBundle(
  bytes: Uint8Array,
  expected: Expectation & Circumstances,
): Promise<Admission> {
  // fetch
  const bundle = readBundle(bytes, expected.hostname)
  // cert-chain
  const chain = readChain(bundle.certChain)
  const root = rootOf(chain)
  checkChain(chain, { ...expected, requireLeafName: requiresLeafName(root, expected.roots) })
  // untrusted-root
  checkRoot(root, expected.roots)
  // jws
  const payload = readPayload(await openJws(bundle.jws, chain[0].key), bundle)
  const { hostname, certFingerprint, evidence, evidenceDigest: digest } = payload
  const issuedAt = parseInstant(payload.issuedAt)
  checkFreshness(issuedAt, expected)
  matchesEnvelope(payload, bundle)
  checkSnapshot(payload)
  // tls-fingerprint
  const channelBinding = bindConnection({ ...payload, tlsLeaf: bundle.tlsLeaf }, expected)
  // policy
  const candidate = { hostname, issuedAt, digest, evidence }
  checkPolicy(candidate, expected)
  return { ...candidate, certFingerprint, channelBinding, rootFingerprint: root.fingerprint }
}
