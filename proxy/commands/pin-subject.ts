import { existsSync } from 'node:fs'
import { AttestationError, type Digest, inspectBundle, parsePin, verifyBundle } from '#attestation'
import { UsageError } from '#base/command.ts'
import type { components } from '#contract/types'
import type { EndpointConfig } from '../config/proxy.ts'
import { endpointSource, readBundleFile } from './subject.ts'
import { parseEndpointUrl } from './usage.ts'

/** What a pin rests on. */
export type PinBasis = components['schemas']['PinBasis']

/** A digest that may be pinned. */
export interface Candidate {
  readonly digest: Digest
  readonly basis: PinBasis
}

const URL_LIKE = /^[a-z][a-z0-9+.-]*:\/\//i

/**
 * Understands what is to be pinned as people name it: an https URL or a bundle file, verified to a trusted root, or a
 * bare digest, which is taken at the user's word. Throws the refusal of the verification.
 */
export async function findCandidate(subject: string, endpoint: EndpointConfig): Promise<Candidate> {
  if (URL_LIKE.test(subject)) {
    const { hostname } = endpoint.target
    const { bytes, observedLeaf } = await endpointSource(parseEndpointUrl(subject), hostname).read()
    return { digest: await verifyAll(bytes, endpoint, observedLeaf), basis: 'endpoint' }
  }
  const digest = digestIn(subject)
  if (digest !== undefined && !existsSync(subject)) return { digest, basis: 'word' }
  if (!existsSync(subject)) {
    throw new UsageError(`"${subject}" is neither an https URL, nor a digest, nor a file that is there.`)
  }
  return { digest: await verifyAll(await readBundleFile(subject), endpoint, undefined), basis: 'bundle' }
}

/** Reads a digest in any notation. */
export function digestIn(text: string): Digest | undefined {
  try {
    return parsePin(text)
  } catch {
    return undefined
  }
}

/** Every stage but the approval that is being given; a file has no connection whose certificate could be seen. */
async function verifyAll(
  bytes: Uint8Array,
  endpoint: EndpointConfig,
  observedLeaf: Digest | undefined,
): Promise<Digest> {
  const { payload } = inspectBundle(bytes)
  try {
    const { digest } = await verifyBundle(bytes, {
      hostname: endpoint.target.hostname,
      roots: endpoint.roots,
      pins: [payload.evidenceDigest],
      now: new Date(),
      maxBundleAgeMs: endpoint.maxBundleAgeMs,
      ...(observedLeaf && { observedLeaf }),
    })
    return digest
  } catch (thrown) {
    const isOnlyUnobserved =
      thrown instanceof AttestationError &&
      thrown.reason === 'leaf_not_observed' &&
      observedLeaf === undefined
    if (isOnlyUnobserved && thrown.evidenceDigest !== undefined) return thrown.evidenceDigest
    throw thrown
  }
}
