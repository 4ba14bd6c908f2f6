import {
  type Admission,
  AttestationError,
  type Digest,
  type Expectation,
  parseDigest,
  toHex,
  verifyBundle,
} from '#attestation'
import { quote } from '#base/foreign-text.ts'
import type { CapsuleVerificationOutput, EvidenceCapsule } from '#contract/models'
import { hardwareDocument } from '#egress/hardware.ts'
import { type Claims, claimsInWords, claimsOf } from './capsule-claims.ts'
import { bundleOf, comparePartsOf, type Part } from './capsule-parts.ts'
import { digestIn } from './pin-subject.ts'
import { hardwareLines, stagesInWords } from './words.ts'

/** What a recipient holds a capsule against; what it brings along counts for none of it. */
export interface RecipientExpectation extends Expectation {
  /** The capsule's own word where none is given. */
  readonly hostname?: string | undefined
}

type Judged = Admission | AttestationError

/** How a capsule was judged. */
export interface CapsuleResult {
  readonly document: CapsuleVerificationOutput
  readonly lines: readonly string[]
}

/**
 * Judges a capsule without a network and by the clock of its time, so that the outcome is the same to the byte whenever
 * and wherever it is judged. Roots and pins are the recipient's: without both it never holds (CMD-25). Clock and
 * certificate remain its maker's word, and are told as such. Never throws for what a capsule says.
 */
export async function judgeCapsule(
  capsule: EvidenceCapsule,
  given: RecipientExpectation,
): Promise<CapsuleResult> {
  const claims = claimsOf(capsule)
  const { hostname = capsule.expectation.hostname } = given
  const verdict = await judge(capsule, hostname, given)
  const claimed = await judge(capsule, capsule.expectation.hostname, {
    roots: claims.roots,
    pins: capsule.expectation.pins.flatMap((pin) => digestIn(pin) ?? []),
    maxBundleAgeMs: capsule.expectation.max_bundle_age_ms,
  })
  const document = documentOf({ capsule, given, hostname, verdict, claims, claimed })
  return { document, lines: inWords(document, verdict) }
}

async function judge(capsule: EvidenceCapsule, hostname: string, expected: Expectation): Promise<Judged> {
  const now = new Date(capsule.judged_at)
  try {
    return await verifyBundle(bundleOf(capsule), {
      ...expected,
      hostname,
      observedLeaf: parseDigest(capsule.observed_leaf),
      // A moment that is none must not compare as if it were any.
      now: Number.isNaN(now.getTime()) ? new Date(0) : now,
    })
  } catch (thrown) {
    if (thrown instanceof AttestationError) return thrown
    throw thrown
  }
}

interface Findings {
  readonly capsule: EvidenceCapsule
  readonly given: RecipientExpectation
  readonly hostname: string
  readonly verdict: Judged
  readonly claims: Claims
  /** By its own roots and pins. */
  readonly claimed: Judged
}

function documentOf({
  capsule,
  given,
  hostname,
  verdict,
  claims,
  claimed,
}: Findings): CapsuleVerificationOutput {
  const refusal = verdict instanceof AttestationError ? verdict : undefined
  const parts = comparePartsOf(capsule)
  type Stage = CapsuleVerificationOutput['stage']
  const isBound = refusal === undefined || refusal.verifiedThrough === 'tls-fingerprint'
  return {
    admitted: refusal === undefined,
    verified_through: refusal === undefined ? 'policy' : (refusal.verifiedThrough as Stage),
    stage: (refusal?.stage ?? null) as Stage,
    reason: refusal?.reason ?? null,
    evidence_digest: (verdict instanceof AttestationError ? verdict.evidenceDigest : verdict.digest) ?? null,
    // Whoever judges a capsule has seen no connection: its maker says which certificate there was.
    channel_binding: isBound ? 'producer-asserted' : 'none',
    hardware:
      verdict instanceof AttestationError || verdict.hardware === null
        ? null
        : hardwareDocument(verdict.hardware),
    generation: capsule.generation,
    hostname,
    hostname_from: given.hostname === undefined ? 'capsule' : 'reader',
    roots: given.roots.map(({ fingerprint }) => fingerprint),
    pins: [...given.pins],
    claims: { admitted: !(claimed instanceof AttestationError), ...claims.document },
    holds: refusal === undefined && parts.every(({ holds }) => holds !== false),
    parts,
  }
}

const partWords: Readonly<Record<Part['part'], string>> = {
  expectation: 'What the capsule says was expected can be read.',
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

function inWords(document: CapsuleVerificationOutput, verdict: Judged): string[] {
  const { parts, roots, pins, claims, hardware } = document
  return [
    ...headingOf(document),
    '',
    ...stagesInWords(verdict instanceof AttestationError ? verdict : undefined, 'producer-asserted'),
    '',
    ...parts.map(
      ({ part, holds }) =>
        `  ${part.padEnd(WIDTH)}  ${markOf(holds).padEnd(4)}  ${holds === null ? 'Nothing to compare: the capsule does not hold it.' : partWords[part]}`,
    ),
    '',
    roots.length + pins.length > 0 ? 'You gave:' : 'You gave neither a root nor a pin.',
    ...roots.map((root) => `  root  ${toHex(root as Digest)}`),
    ...pins.map((pin) => `  pin   ${toHex(pin as Digest)}`),
    ...(hardware === null
      ? []
      : ['', 'The root’s key was held by hardware:', ...hardwareLines(hardware, 11)]),
    '',
    ...claimsInWords(claims),
  ]
}

function headingOf(document: CapsuleVerificationOutput): string[] {
  const { generation, hostname, hostname_from, holds, roots, pins, claims } = document
  const whose =
    hostname_from === 'reader'
      ? 'the one that you gave'
      : 'the capsule’s own word: give --hostname to have yours compared'
  const host = `Hostname: ${quote(hostname)}, ${whose}.`
  if (roots.length === 0 || pins.length === 0) {
    return [
      `Nothing is shown about ${generation} yet: a capsule is judged by your own --root and --pin, and ${missing(document)}.`,
      host,
    ]
  }
  return holds
    ? [
        `The answer ${generation} came from an endpoint that your roots and pins admit, as of ${quote(claims.judged_at)}.`,
        host,
      ]
    : [
        `The answer ${generation} is not shown to have come from an endpoint that your roots and pins admit.`,
        host,
      ]
}

function missing({ roots, pins }: CapsuleVerificationOutput): string {
  if (roots.length + pins.length === 0) return 'neither was given'
  return roots.length === 0 ? 'no root was given' : 'no pin was given'
}

function markOf(holds: boolean | null): string {
  if (holds === null) return '-'
  return holds ? 'ok' : 'NO'
}
