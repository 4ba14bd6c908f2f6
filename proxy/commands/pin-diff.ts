import { existsSync } from 'node:fs'
import { AttestationError, inspectBundle, type Json, parseRoots, toHex, verifyBundle } from '#attestation'
import type { SnapshotDiffOutput } from '#contract'
import { loadProxyConfig } from '../config/proxy.ts'
import { type EvidenceStore, openEvidence } from '../journal/evidence.ts'
import { evidenceFolderOf } from '../journal/folder.ts'
import { type CommonOptions, print } from './output.ts'
import { digestIn } from './pin-subject.ts'
import { printRefusal } from './refused.ts'
import { diffSnapshots, type SnapshotChange } from './snapshot-diff.ts'
import { endpointSource, readBundleFile } from './subject.ts'
import { parseEndpointUrl, UsageError } from './usage.ts'

/** What `proxy pin diff` takes. */
export interface PinDiffOptions extends CommonOptions {
  readonly config: string
}

/** A snapshot whose digest is right; whether anybody may be trusted about it is another question. */
interface Compared {
  readonly subject: string
  readonly hostname: string
  readonly digestHex: string
  readonly issuedAt: Date
  readonly evidence: Json
}

/** `proxy pin diff A B`: what differs between two snapshots, each an https URL, a bundle file or a kept digest. */
export async function pinDiff(before: string, after: string, options: PinDiffOptions): Promise<number> {
  let subject = before
  try {
    const one = await read(before, options)
    subject = after
    const other = await read(after, options)
    const changes = diffSnapshots(one.evidence, other.evidence)
    print(options, documentOf(one, other, changes), inWords(one, other, changes))
    return 0
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    return printRefusal(options, subject, `${subject} holds no snapshot to compare:`, thrown)
  }
}

async function read(subject: string, { config }: PinDiffOptions): Promise<Compared> {
  const bytes = await bytesOf(subject, config)
  const { bundle, payload, issuedAt } = inspectBundle(bytes)
  // Everything that a bundle can show of itself, whenever it was signed: the digest above all.
  const { hostname, digest, evidence } = await verifyBundle(bytes, {
    hostname: payload.hostname,
    trustedRoots: parseRoots(bundle.certChain.at(-1) ?? '', { requireLeafName: false }),
    pins: [payload.evidenceDigest],
    now: issuedAt,
    maxBundleAgeMs: 1,
    observedLeaf: payload.certFingerprint,
  })
  return { subject, hostname, digestHex: toHex(digest), issuedAt, evidence }
}

async function bytesOf(subject: string, config: string): Promise<Uint8Array> {
  if (/^https:\/\//i.test(subject))
    return (await endpointSource(parseEndpointUrl(subject), undefined).read()).bytes
  if (existsSync(subject)) return readBundleFile(subject)
  const digest = digestIn(subject)
  if (digest === undefined) {
    throw new UsageError(`"${subject}" is neither an https URL, nor a file that is there, nor a digest.`)
  }
  const { dataDir } = loadProxyConfig(config, process.env)
  const found = findKept(openEvidence(evidenceFolderOf(dataDir)), digest)
  if (found !== undefined) return found
  throw new Error(
    `No bundle of ${toHex(digest)} is kept in ${dataDir}: only what a generation went under is. Name a bundle file instead.`,
  )
}

/** By the digest of a snapshot, as pins are; else by that of a bundle's bytes, as the journal has them. */
function findKept(
  store: EvidenceStore,
  digest: ReturnType<typeof digestIn> & string,
): Uint8Array | undefined {
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

function documentOf(one: Compared, other: Compared, changes: readonly SnapshotChange[]): SnapshotDiffOutput {
  const about = ({ subject, digestHex, hostname, issuedAt }: Compared) => ({
    subject,
    evidence_digest_hex: digestHex,
    hostname,
    issued_at: issuedAt.toISOString(),
  })
  return {
    before: about(one),
    after: about(other),
    equal: one.digestHex === other.digestHex,
    changes: [...changes],
  }
}

const MAX_VALUE = 160

const words: Readonly<Record<SnapshotChange['change'], string>> = {
  resource_added: 'a resource is new',
  resource_removed: 'a resource is gone',
  image: 'another image',
  configuration: 'another configuration',
  field: 'another field',
}

function inWords(one: Compared, other: Compared, changes: readonly SnapshotChange[]): string[] {
  const heading = [`  ${one.digestHex}  ${one.subject}`, `  ${other.digestHex}  ${other.subject}`, '']
  if (one.digestHex === other.digestHex) return [...heading, 'Both are the same deployment.']
  return [
    ...heading,
    ...changes.flatMap(changeInWords),
    '',
    'Read what has changed before you approve of it. Who signed it was not looked at; `proxy pin add` does.',
  ]
}

function changeInWords({ change, resource, path, before, after }: SnapshotChange): string[] {
  const isWhole = change === 'resource_added' || change === 'resource_removed'
  const heading = `${resource}${path === '' ? '' : `  ${path}`}: ${words[change]}`
  return isWhole ? [heading] : [heading, `  - ${short(before)}`, `  + ${short(after)}`]
}

function short(text: string | null): string {
  if (text === null) return '(nothing)'
  return text.length > MAX_VALUE
    ? `${text.slice(0, MAX_VALUE)}… (${text.length} characters; --json shows all)`
    : text
}
