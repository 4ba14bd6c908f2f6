import {
  type Admission,
  AttestationError,
  type Digest,
  type Policy,
  parseDigest,
  type TrustedRoot,
  toHex,
  verifyBundle,
} from '#attestation'
import type { CapsuleVerificationOutput, EvidenceCapsule } from '#contract'
import { rootsOf } from '../journal/expectation.ts'
import { compilePolicy } from '../policy/cel.ts'
import { bundleOf, comparePartsOf, type Part } from './capsule-parts.ts'
import { stagesInWords } from './words.ts'

/** What a recipient may hold a capsule against instead of what it brings along. */
export interface GivenExpectation {
  readonly roots: readonly TrustedRoot[]
  readonly pins: readonly Digest[]
  /** Further conditions, beside those of the capsule. */
  readonly policies: readonly Policy[]
}

/** How a capsule was judged. */
export interface CapsuleResult {
  readonly document: CapsuleVerificationOutput
  readonly lines: readonly string[]
}

/**
 * Judges a capsule without a network and by the clock of its time, so that the outcome is the same to the byte whenever
 * and wherever it is judged. What it brings along is its maker's word, unless roots and pins are given beside it.
 */
export async function judgeCapsule(
  capsule: EvidenceCapsule,
  given: GivenExpectation,
): Promise<CapsuleResult> {
  const { expectation } = capsule
  const trustedRoots = given.roots.length > 0 ? given.roots : rootsOf(expectation)
  const pins = given.pins.length > 0 ? given.pins : expectation.pins.map(parseDigest)
  let verdict: Admission | AttestationError
  try {
    verdict = await verifyBundle(bundleOf(capsule), {
      hostname: expectation.hostname,
      trustedRoots,
      pins,
      policies: [
        ...expectation.policies.map(({ name, allow }) => compilePolicy(name, allow)),
        ...given.policies,
      ],
      observedLeaf: parseDigest(capsule.observed_leaf),
      now: new Date(capsule.judged_at),
      maxBundleAgeMs: expectation.max_bundle_age_ms,
    })
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    verdict = thrown
  }
  const parts = comparePartsOf(capsule)
  const document = documentOf(capsule, verdict, parts, {
    isGiven: given.roots.length + given.pins.length + given.policies.length > 0,
    roots: trustedRoots.map(({ fingerprint }) => fingerprint),
    pins,
  })
  return { document, lines: inWords(document, verdict) }
}

interface Basis {
  readonly isGiven: boolean
  readonly roots: readonly Digest[]
  readonly pins: readonly Digest[]
}

function documentOf(
  { generation, judged_at }: EvidenceCapsule,
  verdict: Admission | AttestationError,
  parts: Part[],
  { isGiven, roots, pins }: Basis,
): CapsuleVerificationOutput {
  const refusal = verdict instanceof AttestationError ? verdict : undefined
  type Stage = CapsuleVerificationOutput['stage']
  const isBound = refusal === undefined || refusal.verifiedThrough === 'tls-fingerprint'
  return {
    admitted: refusal === undefined,
    verified_through: refusal === undefined ? 'policy' : (refusal.verifiedThrough as Stage),
    stage: (refusal?.stage ?? null) as Stage,
    reason: refusal?.reason ?? null,
    evidence_digest: (verdict instanceof AttestationError ? verdict.evidenceDigest : verdict.digest) ?? null,
    channel_binding: isBound ? 'observed' : 'none',
    generation,
    judged_at,
    expectation: isGiven ? 'given' : 'capsule',
    roots: [...roots],
    pins: [...pins],
    holds: refusal === undefined && parts.every(({ holds }) => holds !== false),
    parts,
  }
}

const partWords: Readonly<Record<Part['part'], string>> = {
  journal_lines: 'The lines of the journal are in order, and neighbours are linked.',
  generation: 'The last of them is about this generation.',
  bundle_digest: 'The bundle is the one that the line names.',
  expectation_digest: 'What was expected is what the line names.',
  basis: 'Clock and certificate are those of the line.',
  admission: 'An earlier line admits this deployment on this endpoint.',
  record: 'The router’s record says what the line says.',
  ledger: 'The ledger row takes what the record costs.',
}

const WIDTH = Math.max(...Object.keys(partWords).map((name) => name.length))

function inWords(document: CapsuleVerificationOutput, verdict: Admission | AttestationError): string[] {
  const { generation, judged_at, holds, parts, roots, pins, expectation } = document
  const refusal = verdict instanceof AttestationError ? verdict : undefined
  return [
    `${generation} ${holds ? 'went to an endpoint that was admitted' : 'is not shown to have gone to an admitted endpoint'}, judged as of ${judged_at}.`,
    '',
    ...stagesInWords(refusal),
    '',
    ...parts.map(
      ({ part, holds: isWhole }) =>
        `  ${part.padEnd(WIDTH)}  ${markOf(isWhole).padEnd(4)}  ${isWhole === null ? 'Nothing to compare: the capsule does not hold it.' : partWords[part]}`,
    ),
    '',
    expectation === 'capsule'
      ? 'Roots and pins are those that the capsule itself brings along: compare them with what you trust, or give --root and --pin.'
      : 'Roots, pins or policies were given beside the capsule; where no root or pin was, its own count.',
    ...roots.map((root) => `  root  ${toHex(root as Digest)}`),
    ...pins.map((pin) => `  pin   ${toHex(pin as Digest)}`),
  ]
}

function markOf(holds: boolean | null): string {
  if (holds === null) return '-'
  return holds ? 'ok' : 'NO'
}
