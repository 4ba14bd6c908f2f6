import canonicalize from 'canonicalize'
import { type WireDigest, wireDigest } from '../digest.ts'
import type { Resource } from './resource.ts'

/** Everything that was rendered into the deployment, as verifiers see it (BNDL-11). */
export interface Snapshot {
  readonly evidence: { readonly version: 2; readonly resources: readonly Resource[] }
  /** SHA-256 of the evidence in canonical form (RFC 8785). */
  readonly digest: WireDigest
}

const VERSION = 2

/** Makes the snapshot; the order in which the resources were read does not show in it. */
export function createSnapshot(resources: readonly Resource[]): Snapshot {
  const sorted = resources
    .map((resource) => ({ resource, order: [identityOf(resource), canonicalize(resource)!] }))
    .sort((a, b) => compare(a.order, b.order))
    .map(({ resource }) => resource)
  const evidence = { version: VERSION, resources: sorted } as const
  return { evidence, digest: wireDigest(canonicalize(evidence)!) }
}

/** What there can be only one of: a kind, a namespace and a name. */
export function identityOf({ kind, apiVersion, metadata }: Resource): string {
  const { namespace = '', name = '' } = (metadata ?? {}) as Resource
  return [kind, apiVersion, namespace, name].map((part) => String(part ?? '')).join(' ')
}

/** By code units, so that no language or locale matters. */
function compare(a: readonly string[], b: readonly string[]): number {
  const place = a.findIndex((text, index) => text !== b[index])
  if (place < 0) return 0
  return a[place]! < b[place]! ? -1 : 1
}
