import { checkHardware } from './attested.ts'
import { type BindingExpectation, bindConnection, type ChannelBinding } from './binding.ts'
import { readBundle } from './bundle.ts'
import { checkChain, readChain, rootOf } from './chain.ts'
import type { Digest } from './digest.ts'
import { checkFreshness, type FreshnessExpectation } from './freshness.ts'
import { builtInVendors } from './hardware/built-in.ts'
import type { HardwareEvidence } from './hardware/evidence.ts'
import type { Vendors } from './hardware/vendors.ts'
import { parseInstant } from './instant.ts'
import { openJws } from './jws.ts'
import { matchesEnvelope, readPayload } from './payload.ts'
import { type Candidate, checkPolicy, type PolicyExpectation } from './policy.ts'
import { checkRoot, requiresLeafName, type TrustedRoot } from './roots.ts'
import { checkSnapshot } from './snapshot.ts'

/** What the user has configured for an endpoint: roots, pins, policies and the greatest age of a bundle. */
export interface Expectation extends PolicyExpectation, Pick<FreshnessExpectation, 'maxBundleAgeMs'> {
  readonly roots: readonly TrustedRoot[]
}

/** What is known when one bundle is judged; the caller brings the time and what was accepted before. */
export interface Circumstances
  extends BindingExpectation,
    Pick<FreshnessExpectation, 'now' | 'newestIssuedAt'> {
  /** The hostname that was asked. */
  readonly hostname: string
}

/** What is known of an endpoint that passed every stage; all but `channelBinding`, the root and its hardware was signed. */
export interface Admission extends Candidate {
  /** SHA-256 of the TLS leaf that every connection to the endpoint must show. */
  readonly certFingerprint: Digest
  readonly channelBinding: ChannelBinding
  readonly rootFingerprint: Digest
  /** The hardware that holds the root's key; null where none is demanded. */
  readonly hardware: HardwareEvidence | null
}

/**
 * Judges the bytes of a bundle and throws the first refusal as an `AttestationError` with its stage and reason; any
 * other return is an admission. Stages and order are part of the contract (VRFY-01). Opens no connection: whoever
 * fetched the bytes passes the certificate that was seen as `observedLeaf`. Vendors of hardware are the real ones for
 * all but vectors and tests (VRFY-28).
 */
export async function verifyBundle(
  bytes: Uint8Array,
  expected: Expectation & Circumstances,
  vendors: Vendors = builtInVendors,
): Promise<Admission> {
  // fetch
  const bundle = readBundle(bytes, expected.hostname)
  // cert-chain
  const chain = readChain(bundle.certChain)
  const root = rootOf(chain)
  checkChain(chain, { ...expected, requireLeafName: requiresLeafName(root, expected.roots) })
  // untrusted-root
  checkRoot(root, expected.roots)
  const hardware = checkHardware(bundle, root, expected, vendors)
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
  return { ...candidate, certFingerprint, channelBinding, rootFingerprint: root.fingerprint, hardware }
}
