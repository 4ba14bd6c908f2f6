import { parseRoots, type RootOptions, type TrustedRoot, toHex } from '#attestation'
import { quote } from '#base/foreign-text.ts'
import type { EvidenceCapsule } from '#contract/models'
import type { components } from '#contract/types'
import { compilePolicy, PolicyError } from '../policy/cel.ts'
import { digestIn } from './pin-subject.ts'

/** What a capsule says was expected and seen, which is its maker's word. */
export interface Claims {
  readonly document: Omit<components['schemas']['CapsuleClaims'], 'admitted'>
  /** Those of its roots that can be read. */
  readonly roots: readonly TrustedRoot[]
}

/** Reads what a capsule says of itself; never throws. Its policies are read and never asked: they are a stranger's programs. */
export function claimsOf({ expectation, judged_at, observed_leaf }: EvidenceCapsule): Claims {
  const roots = expectation.roots.map(({ pem, require_leaf_name: requireLeafName, attested }) =>
    readRoots(pem, { requireLeafName, attested: attested?.measurements }),
  )
  return {
    roots: roots.flatMap((found) => found ?? []),
    document: {
      hostname: expectation.hostname,
      judged_at,
      observed_leaf,
      max_bundle_age_ms: expectation.max_bundle_age_ms,
      roots: roots.map((found) => found?.[0]?.fingerprint ?? null),
      attested: expectation.roots.map(({ attested }) => attested ?? null),
      pins: [...expectation.pins],
      policies: expectation.policies.map(({ name, allow }) => ({ name, allow, mistake: mistakeIn(allow) })),
    },
  }
}

/** Whether everything that a capsule says was expected means something. */
export function isReadable({ document: { judged_at, roots, pins, policies } }: Claims): boolean {
  return (
    !Number.isNaN(new Date(judged_at).getTime()) &&
    roots.every((root) => root !== null) &&
    pins.every((pin) => digestIn(pin) !== undefined) &&
    policies.every(({ mistake }) => mistake === null)
  )
}

/** The claims for people, who are not to take them for anything else. */
export function claimsInWords(claims: components['schemas']['CapsuleClaims']): string[] {
  const { admitted, hostname, judged_at, observed_leaf, max_bundle_age_ms, roots, attested, pins, policies } =
    claims
  return [
    'The capsule says this of itself, and nothing here proves it:',
    `  hostname     ${quote(hostname)}`,
    `  clock        ${quote(judged_at)}`,
    `  certificate  ${shown(observed_leaf)}, as seen on the connection`,
    `  age          signatures of up to ${Math.round(max_bundle_age_ms / 1_000)} s`,
    ...roots.map(
      (root) => `  root         ${root === null ? 'no certificate: it cannot be read' : shown(root)}`,
    ),
    ...attested.flatMap((demand) => demand?.measurements.map(conditionInWords) ?? []),
    ...pins.map((pin) => `  pin          ${shown(pin)}`),
    ...policies.flatMap(({ name, allow, mistake }) => [
      `  policy       ${quote(name)}, shown and not asked: ${quote(allow, MAX_POLICY)}`,
      ...(mistake === null ? [] : [`               It is no policy: ${mistake}`]),
    ]),
    `By these it would be ${admitted ? 'admitted' : 'refused'}, which is its maker’s word alone.`,
  ]
}

function conditionInWords(asked: components['schemas']['HardwareConditionConfig']): string {
  return asked.tee === 'snp'
    ? `  hardware     AMD SEV-SNP, ${asked.product}, ${asked.measurement}`
    : `  hardware     Intel TDX, ${asked.mrtd}`
}

/** A policy may be read whole. */
const MAX_POLICY = 40_000

function readRoots(pem: string, options: RootOptions): readonly TrustedRoot[] | undefined {
  try {
    return parseRoots(pem, options)
  } catch {
    return undefined
  }
}

function mistakeIn(allow: string): string | null {
  try {
    compilePolicy('', allow)
    return null
  } catch (thrown) {
    return thrown instanceof PolicyError ? thrown.message : 'It cannot be read.'
  }
}

function shown(digest: string): string {
  const known = digestIn(digest)
  return known === undefined ? quote(digest) : toHex(known)
}
