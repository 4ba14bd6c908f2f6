import { type Digest, inspectBundle, type Json, verifyBundle } from '#attestation'
import { limits } from '#contract/limits'
import { targetOf } from '#egress/connection/target.ts'
import type { Change } from '#egress/deployment/changes.ts'
import { fetchBundle } from '#egress/evidence/fetch.ts'
import type { Queryable } from '../store/connection.ts'
import { compare } from './comparison.ts'
import type { Registration } from './registration.ts'

/** A deployment, and the bundle's word for when it was signed. */
export interface Deployment {
  readonly digest: Digest
  readonly issuedAt: Date
  readonly evidence: Json
}

/** What is offered, and every step to it from what is pinned. */
export interface ComparedOffer {
  /** Undefined where no approved deployment is kept. */
  readonly pinned: Deployment | undefined
  readonly offered: Deployment
  readonly changes: readonly Change[]
}

/**
 * Compares what an upstream offers now with an approved deployment: the one of `pin`, else the newest that is kept.
 * Undefined when `pin` names none that is. Throws an `AttestationError` when the offer cannot be had or verified.
 */
export async function compareOffer(
  sql: Queryable,
  registration: Registration,
  pin?: Digest,
): Promise<ComparedOffer | undefined> {
  const pinned = await findPinned(sql, registration, pin)
  if (pin !== undefined && !pinned) return undefined
  const offered = await fetchOffer(registration)
  const changes = pinned ? await compare({ before: pinned.evidence, after: offered.evidence }) : []
  return { pinned, offered, changes }
}

/**
 * Fetches what an upstream offers now and verifies all of it but whether it is approved. Nothing is admitted by it, and
 * nothing is remembered of it. Throws an `AttestationError`.
 */
async function fetchOffer({ url, hostname, roots, newestIssuedAt }: Registration): Promise<Deployment> {
  const target = targetOf(new URL(url), hostname)
  const { bytes, observedLeaf } = await fetchBundle(target)
  const { digest, issuedAt, evidence } = await verifyBundle(bytes, {
    hostname: target.hostname,
    roots,
    // Its own word: the digest is computed anew and held against it.
    pins: [inspectBundle(bytes).payload.evidenceDigest],
    maxBundleAgeMs: limits.maxBundleAgeMs,
    observedLeaf,
    now: new Date(),
    newestIssuedAt,
  })
  return { digest, issuedAt, evidence }
}

/** The newest deployment that is approved and whose bundle is kept, or the one of this digest; undefined for none. */
async function findPinned(
  sql: Queryable,
  { name, pins }: Registration,
  digest?: Digest,
): Promise<Deployment | undefined> {
  const asked = digest === undefined ? pins : pins.filter((pin) => pin === digest)
  const [kept] = await sql<{ digest: Digest; bytes: Buffer; issued_at: Date }[]>`
    select digest, bytes, issued_at from upstream_bundles
    where upstream = ${name} and digest = any (${[...asked]}::text[])
    order by issued_at desc, digest limit 1`
  if (!kept) return undefined
  const { evidence } = inspectBundle(kept.bytes).payload
  return { digest: kept.digest, issuedAt: kept.issued_at, evidence }
}
