import { X509Certificate } from 'node:crypto'
import {
  type Admission,
  AttestationError,
  type Digest,
  inspectBundle,
  parseRoots,
  teeLabelOf,
  toHex,
  verifyBundle,
} from '#attestation'
import { type DiscoveryOutput, limits } from '#contract'
import type { Target } from '#egress/connection/target.ts'
import { type CommonOptions, print } from './output.ts'
import { endpointSource, readRoots, type Subject } from './subject.ts'
import { parseEndpointUrl } from './usage.ts'
import { stagesInWords } from './words.ts'

/** What `proxy discover` takes. */
export interface DiscoverOptions extends CommonOptions {
  readonly hostname?: string
  readonly root: readonly string[]
}

const REFUSED = 3

/** What a bundle shows once everything but trust and approval has been checked. */
interface Discovery {
  readonly admission: Admission
  readonly rootPem: string
  readonly tee: string | null
  readonly isRootTrusted: boolean
}

/** `proxy discover URL`: shows what one could pin, and writes nothing (decisions, 9). */
export async function discover(url: string, options: DiscoverOptions): Promise<number> {
  const source = endpointSource(parseEndpointUrl(url), options.hostname)
  const { hostname, target } = source
  try {
    const discovery = await look(await source.read(), hostname, options.root)
    print(options, documentOf(discovery), inWords(discovery, target, options.root))
    return 0
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    const { stage, reason } = thrown
    const heading = `There is nothing to pin at ${hostname}: ${stage}, ${reason}.`
    print(options, { hostname, stage, reason }, [heading, '', ...stagesInWords(thrown)])
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
  const trustedRoots = rootFiles.length > 0 ? readRoots(rootFiles) : ownRoots(rootPem)
  const admission = await verifyBundle(bytes, {
    hostname,
    trustedRoots,
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
    isRootTrusted: rootFiles.length > 0,
  }
}

function ownRoots(pem: string): ReturnType<typeof parseRoots> {
  try {
    return parseRoots(pem)
  } catch (cause) {
    throw new AttestationError('cert-chain', 'certificate_malformed', { cause })
  }
}

function documentOf({ admission, rootPem, tee, isRootTrusted }: Discovery): DiscoveryOutput {
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
    root_trusted: isRootTrusted,
  }
}

function inWords(
  { admission, rootPem, tee, isRootTrusted }: Discovery,
  target: Target,
  rootFiles: readonly string[],
): string[] {
  const { hostname, digest, rootFingerprint, certFingerprint, issuedAt } = admission
  return [
    `${hostname} published this; nothing of it is approved yet.`,
    '',
    `  deployment   ${both(digest)}`,
    `  signed       ${issuedAt.toISOString()}`,
    `  certificate  ${both(certFingerprint)}`,
    `  root         ${both(rootFingerprint)}`,
    `  hardware     ${tee ?? 'none named'}${tee === null ? '' : ': a label in the root certificate, which proves nothing'}`,
    '',
    isRootTrusted
      ? 'The root is one that you named with --root.'
      : 'The root came with the bundle: anybody could have made it. Compare its digest with the one that the operator gave you.',
    'Read what is deployed before you approve of it. Then put into proxy.yaml:',
    '',
    ...snippet(target, digest, isRootTrusted ? rootFiles : ['root.pem']),
    '',
    ...(isRootTrusted ? [] : ['and into root.pem, once you have compared it:', '', rootPem.trimEnd()]),
  ]
}

function both(digest: Digest): string {
  return `${toHex(digest)}\n${' '.repeat(15)}${digest}`
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
