import { X509Certificate } from 'node:crypto'
import {
  type Admission,
  AttestationError,
  type Digest,
  type HardwareCondition,
  type HardwareEvidence,
  inspectBundle,
  inspectHardware,
  teeLabelOf,
  toHex,
  verifyBundle,
} from '#attestation'
import { type OutputOptions, print } from '#base/print.ts'
import { limits } from '#contract/limits'
import type { DiscoveryOutput } from '#contract/models'
import type { Target } from '#egress/connection/target.ts'
import { attestedDocument, hardwareDocument } from '#egress/hardware.ts'
import { demandFor } from '../hardware.ts'
import { keepFile } from './keep-file.ts'
import { rootsWithin } from './snapshot-source.ts'
import { endpointSource, readRoots, type Subject } from './subject.ts'
import { parseEndpointUrl } from './usage.ts'
import { hardwareLines, stagesInWords } from './words.ts'

/** What `proxy discover` takes. */
export interface DiscoverOptions extends OutputOptions {
  readonly hostname?: string
  readonly root: readonly string[]
  readonly save?: string
  readonly force?: true
}

const REFUSED = 3

/** What a bundle shows once everything but trust and approval has been checked. */
interface Discovery {
  readonly admission: Admission
  readonly rootPem: string
  readonly tee: string | null
  /** What its hardware shows, or why it shows none. */
  readonly hardware: HardwareEvidence | AttestationError
  readonly isRootTrusted: boolean
}

/**
 * `proxy discover URL`: shows what one could pin, and writes nothing (CMD-03) but the bundle where that is asked
 * for: byte for byte, one that is refused too.
 */
export async function discover(url: string, options: DiscoverOptions): Promise<number> {
  const source = endpointSource(parseEndpointUrl(url), options.hostname)
  const { hostname, target } = source
  let saved: string | null = null
  try {
    const subject = await source.read()
    if (options.save !== undefined) {
      keepFile(options.save, subject.bytes, { force: options.force === true })
      saved = options.save
    }
    const discovery = await look(subject, hostname, options.root)
    print(options, documentOf(discovery, saved), [
      ...inWords(discovery, target, options.root),
      ...(saved === null ? [] : ['', ...savedInWords(saved)]),
    ])
    return 0
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    const { stage, reason } = thrown
    const heading = `There is nothing to pin at ${hostname}: ${stage}, ${reason}.`
    const kept = saved === null ? [] : ['', `What it publishes was saved all the same: ${saved}`]
    print(options, { hostname, stage, reason, saved }, [heading, '', ...stagesInWords(thrown), ...kept])
    return REFUSED
  }
}

/** Holds the bundle to everything except what the user has yet to decide: its digest, and its root when none is given. */
async function look(
  { bytes, observedLeaf }: Subject,
  hostname: string,
  rootFiles: readonly string[],
): Promise<Discovery> {
  const { bundle, payload } = inspectBundle(bytes)
  const rootPem = bundle.certChain.at(-1) ?? ''
  const roots = rootFiles.length > 0 ? readRoots(rootFiles) : rootsWithin(bytes, { requireLeafName: true })
  const admission = await verifyBundle(bytes, {
    hostname,
    roots,
    pins: [payload.evidenceDigest],
    now: new Date(),
    maxBundleAgeMs: limits.maxBundleAgeMs,
    ...(observedLeaf && { observedLeaf }),
  })
  const root = new X509Certificate(rootPem)
  return {
    admission,
    rootPem: root.toString(),
    tee: teeLabelOf(root.raw),
    hardware: hardwareIn(bytes),
    isRootTrusted: rootFiles.length > 0,
  }
}

function hardwareIn(bytes: Uint8Array): HardwareEvidence | AttestationError {
  try {
    return inspectHardware(bytes, new Date())
  } catch (thrown) {
    if (thrown instanceof AttestationError) return thrown
    throw thrown
  }
}

function demandIn({ hardware }: Discovery): HardwareCondition | undefined {
  return hardware instanceof AttestationError ? undefined : demandFor(hardware)
}

function documentOf(discovery: Discovery, saved: string | null): DiscoveryOutput {
  const { admission, rootPem, tee, hardware, isRootTrusted } = discovery
  const demand = demandIn(discovery)
  const { hostname, digest, rootFingerprint, certFingerprint, issuedAt } = admission
  return {
    hostname,
    evidence_digest: digest,
    evidence_digest_hex: toHex(digest),
    root_fingerprint: rootFingerprint,
    root_fingerprint_hex: toHex(rootFingerprint),
    root_pem: rootPem,
    observed_leaf: certFingerprint,
    issued_at: issuedAt.toISOString(),
    tee,
    hardware: hardware instanceof AttestationError ? null : hardwareDocument(hardware),
    attested: demand === undefined ? null : attestedDocument([demand]),
    root_trusted: isRootTrusted,
    saved,
  }
}

function inWords(discovery: Discovery, target: Target, rootFiles: readonly string[]): string[] {
  const { admission, rootPem, tee, hardware, isRootTrusted } = discovery
  const { hostname, digest, rootFingerprint, certFingerprint, issuedAt } = admission
  return [
    `${hostname} published this; nothing of it is approved yet.`,
    '',
    ...both('deployment', digest),
    `  signed       ${issuedAt.toISOString()}`,
    ...both('certificate', certFingerprint),
    ...both('root', rootFingerprint),
    `  label        ${tee ?? 'no hardware named'}${tee === null ? '' : ': a label in the root certificate, which proves nothing'}`,
    ...(hardware instanceof AttestationError
      ? [`  hardware     none shown: ${hardware.reason}`]
      : hardwareLines(hardwareDocument(hardware), 11)),
    '',
    isRootTrusted
      ? 'The root is one that you named with --root.'
      : 'The root came with the bundle: anybody could have made it. Compare its digest with the one that the operator gave you.',
    'Read what is deployed before you approve of it: `proxy show` with the same URL. Then put into proxy.yaml:',
    '',
    ...snippet(target, digest, isRootTrusted ? rootFiles : ['root.pem']),
    ...demandInWords(demandIn(discovery)),
    '',
    ...(isRootTrusted
      ? []
      : ['and into root.pem, once you have compared it:', '', ...rootPem.trimEnd().split('\n')]),
  ]
}

/** The block of proxy.yaml that demands the same hardware again. */
function demandInWords(demand: HardwareCondition | undefined): string[] {
  if (demand === undefined) return []
  const [document] = attestedDocument([demand]).measurements
  const members = Object.entries(document ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return [
    '',
    'The vendor vouches for its hardware. To demand it besides, compare the measurements with those that the operator',
    'gave you, and put below the root’s file:',
    '',
    '        attested:',
    '          measurements:',
    ...members.map((member, index) => `            ${index === 0 ? '-' : ' '} ${member}`),
  ]
}

function both(name: string, digest: Digest): string[] {
  return [`  ${name.padEnd(11)}  ${toHex(digest)}`, `${' '.repeat(15)}${digest}`]
}

function savedInWords(file: string): string[] {
  return [`The bundle is kept in ${file}, byte for byte. What is deployed, in full: proxy show ${file}`]
}

function snippet({ hostname, host, port }: Target, digest: Digest, rootFiles: readonly string[]): string[] {
  const place = host.includes(':') ? `[${host}]` : host
  return [
    'endpoints:',
    `  - name: ${hostname}`,
    `    url: https://${place}${port === 443 ? '' : `:${port}`}/v1`,
    ...(host === hostname ? [] : [`    hostname: ${hostname}`]),
    '    roots:',
    ...rootFiles.map((file) => `      - file: ${file}`),
    '    pins:',
    `      - ${toHex(digest)}`,
  ]
}
