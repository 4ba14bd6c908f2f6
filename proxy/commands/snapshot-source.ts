import { existsSync } from 'node:fs'
import {
  type Admission,
  AttestationError,
  type Digest,
  inspectBundle,
  parseRoots,
  type TrustedRoot,
  toHex,
  verifyBundle,
} from '#attestation'
import { UsageError } from '#base/command.ts'
import { loadProxyConfig, type ProxyConfig } from '../config/proxy.ts'
import { type EvidenceStore, openEvidence } from '../journal/evidence.ts'
import { evidenceFolderOf } from '../journal/folder.ts'
import { digestIn } from './pin-subject.ts'
import { endpointSource, isUrl, readBundleFile } from './subject.ts'
import { parseEndpointUrl } from './usage.ts'

/** A bundle to look at, however it was named. */
export interface NamedBundle {
  readonly bytes: Uint8Array
  /** Of the connection that it came over; undefined where there was none. */
  readonly observedLeaf: Digest | undefined
  /** The hostname that it must be for; undefined where nothing says so. */
  readonly hostname: string | undefined
  /** The configuration of the proxy that keeps it; undefined unless it was named by a digest. */
  readonly config: ProxyConfig | undefined
}

/** What is looked up, and where. */
export interface NamedOptions {
  readonly config: string
  readonly hostname?: string
}

/** Reads a bundle that is named by an https URL, a file, or the digest of a snapshot or a bundle that the proxy keeps. */
export async function readNamed(
  subject: string,
  { config: file, hostname }: NamedOptions,
): Promise<NamedBundle> {
  if (isUrl(subject)) {
    const source = endpointSource(parseEndpointUrl(subject), hostname)
    return { ...(await source.read()), hostname: source.hostname, config: undefined }
  }
  const unseen = { observedLeaf: undefined, hostname }
  if (existsSync(subject)) return { ...unseen, bytes: await readBundleFile(subject), config: undefined }
  const digest = digestIn(subject)
  if (digest === undefined) {
    throw new UsageError(`"${subject}" is neither an https URL, nor a file that is there, nor a digest.`)
  }
  const config = loadProxyConfig(file, process.env)
  const bytes = findKept(openEvidence(evidenceFolderOf(config.dataDir)), digest)
  if (bytes !== undefined) return { ...unseen, bytes, config }
  throw new Error(
    `No bundle of ${toHex(digest)} is kept in ${config.dataDir}: only what a generation went under is. Name a bundle file instead.`,
  )
}

/**
 * Everything that a bundle can show of itself, whenever it was signed: its own root counts, and its own word for the
 * connection. The digest of what it gives is right; whether anybody may be trusted about it is another question.
 */
export async function verifyByItself(bytes: Uint8Array): Promise<Admission> {
  const { payload, issuedAt } = inspectBundle(bytes)
  return verifyBundle(bytes, {
    hostname: payload.hostname,
    roots: rootsWithin(bytes, { requireLeafName: false }),
    pins: [payload.evidenceDigest],
    now: issuedAt,
    maxBundleAgeMs: 1,
    observedLeaf: payload.certFingerprint,
  })
}

/** The root that a bundle brings along, as if it were trusted. Throws the refusal of one that is none. */
export function rootsWithin(
  bytes: Uint8Array,
  options: { readonly requireLeafName: boolean },
): readonly TrustedRoot[] {
  const pem = inspectBundle(bytes).bundle.certChain.at(-1) ?? ''
  try {
    return parseRoots(pem, options)
  } catch (cause) {
    throw new AttestationError('cert-chain', 'certificate_malformed', { cause })
  }
}

/** By the digest of a snapshot, as pins are; else by that of a bundle's bytes, as the journal has them. */
function findKept(store: EvidenceStore, digest: Digest): Uint8Array | undefined {
  for (const kept of store.list()) {
    const bytes = store.find(kept)
    if (bytes === undefined) continue
    if (kept === digest || snapshotDigestOf(bytes) === digest) return bytes
  }
  return undefined
}

function snapshotDigestOf(bytes: Uint8Array): string | undefined {
  try {
    return inspectBundle(bytes).payload.evidenceDigest
  } catch {
    return undefined
  }
}
