import { type Circumstances, digestOf, type Expectation, parseDigest, verifyBundle } from '#attestation'
import {
  type BundleChanges,
  bundleOf,
  chainFor,
  SNAPSHOT_DIGEST,
  TLS_FINGERPRINT,
} from '../../conformance/vectors/generator/bundle.ts'
import { HOSTNAME, NOW } from '../../conformance/vectors/generator/chain.ts'

/** A bundle, and what it is judged against. */
export interface Case {
  readonly bytes: Buffer
  readonly expected: Expectation & Circumstances
}

/** Numbers from 0 to 1 that a shape makes a bundle of. */
export type Genes = readonly number[]

/** One way of being slow: which bundle its genes stand for. */
export interface Shape {
  readonly name: string
  readonly genes: number
  make(genes: Genes): Case
}

/** Largest bundle that is read, in bytes. */
export const MEBIBYTE = 1_048_576

const MAX_AGE_MS = 86_400_000

/** A case whose root is trusted, so that every stage does its work, unless the chain itself is refused. */
export function caseOf(changes: BundleChanges, bytes = Buffer.from(bundleOf(changes))): Case {
  const root = chainFor(changes).certificates.at(-1)
  return {
    bytes,
    expected: {
      hostname: HOSTNAME,
      roots: root ? [{ der: root, fingerprint: digestOf(root), requireLeafName: true }] : [],
      pins: [parseDigest(SNAPSHOT_DIGEST)],
      observedLeaf: parseDigest(TLS_FINGERPRINT),
      now: new Date(NOW),
      maxBundleAgeMs: MAX_AGE_MS,
    },
  }
}

/** Judges a case: `admitted`, or `stage/reason` of its refusal. */
export async function judge({ bytes, expected }: Case): Promise<string> {
  try {
    await verifyBundle(bytes, expected)
    return 'admitted'
  } catch (error) {
    const { stage, reason } = error as { stage?: string; reason?: string }
    return `${stage}/${reason}`
  }
}

/** The whole number that a gene from 0 to 1 stands for, from `least` to `most`, both included. */
export function between(gene: number | undefined, least: number, most: number): number {
  return Math.min(most, least + Math.floor((gene ?? 0) * (most - least + 1)))
}

/** The option that a gene from 0 to 1 stands for. */
export function choose<T>(gene: number | undefined, options: readonly [T, ...T[]]): T {
  return options[between(gene, 0, options.length - 1)] ?? options[0]
}

/** A text repeated up to a number of characters, never beyond it. */
export function fill(text: string, characters: number): string {
  return text.repeat(Math.max(0, Math.floor(characters / text.length)))
}
