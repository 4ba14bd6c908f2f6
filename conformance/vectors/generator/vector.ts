import type { Vector, VectorExpectation, VectorPiece, VerifierCapability } from '#contract/models'
import type { RuleId } from '#contract/rules'
import { type BundleChanges, bundleOf, chainFor, SNAPSHOT_DIGEST, TLS_FINGERPRINT } from './bundle.ts'
import { pem } from './certificate.ts'
import { HOSTNAME, NOW } from './chain.ts'

type Stage = NonNullable<Vector['expected']['stage']>

/** What is asked: a bundle and what it is judged against, each but for what is changed. */
export interface Question extends BundleChanges {
  /** The bytes, instead of a bundle that is made. */
  readonly raw?: string | Uint8Array | readonly VectorPiece[]
  /** The status of the answer that it came with. */
  readonly status?: number
  readonly expect?: Partial<VectorExpectation>
  readonly needs?: readonly VerifierCapability[]
  /** Whether there is more that would refuse it, or nothing that could be admitted. */
  readonly isHopeless?: true
}

/** Questions by the second part of their ids: each with what it shows. */
export type Questions = Readonly<Record<string, readonly [title: string, question: Question]>>

/** A rule, or several. */
type Rules = RuleId | readonly RuleId[]

/** Vectors that are admitted. */
export function admitted(stage: Stage, rules: Rules, questions: Questions): Vector[] {
  return build(stage, rules, questions, () => ({ admitted: true, stage: null, reason: null }))
}

/** Vectors that a stage refuses for a reason. */
export function refused(stage: Stage, reason: string, rules: Rules, questions: Questions): Vector[] {
  return build(stage, rules, questions, ({ isHopeless }) => ({
    admitted: false,
    stage,
    reason,
    ...(isHopeless ? {} : { sole_fault: true }),
  }))
}

/** Vectors whose request itself cannot be meant. */
export function malformed(stage: Stage, rules: Rules, questions: Questions): Vector[] {
  return build(stage, rules, questions, () => ({ admitted: false, stage: null, reason: null }))
}

function build(
  stage: Stage,
  rules: Rules,
  questions: Questions,
  answer: (question: Question) => Vector['expected'],
): Vector[] {
  return Object.entries(questions).map(([slug, [title, question]]) => ({
    id: `${stage}/${slug}`,
    title,
    rules: typeof rules === 'string' ? [rules] : [...rules],
    ...(question.needs && { needs: [...question.needs] }),
    request: {
      bundle: piecesOf(question),
      ...(question.status !== undefined && { status: question.status }),
      ...expectationOf(question),
    },
    expected: answer(question),
  }))
}

function piecesOf({ raw, ...changes }: Question): VectorPiece[] {
  if (raw === undefined) return foldedPieces(bundleOf(changes))
  if (typeof raw === 'string') return [{ text: raw }]
  if (raw instanceof Uint8Array) return [{ base64: Buffer.from(raw).toString('base64') }]
  return [...raw]
}

/** What stands there hundreds of times on end is written once: the corpus is to be read, and to stay small. */
function foldedPieces(text: string): VectorPiece[] {
  const pieces: VectorPiece[] = []
  let at = 0
  for (const { 0: run, 1: unit = '', index } of text.matchAll(/(.{1,8}?)\1{400,}/g)) {
    if (index > at) pieces.push({ text: text.slice(at, index) })
    pieces.push({ text: unit, times: run.length / unit.length })
    at = index + run.length
  }
  return [...pieces, { text: text.slice(at) }]
}

function expectationOf({ expect, ...changes }: Question): VectorExpectation {
  const root = chainFor(changes).certificates.at(-1)
  return {
    hostname: HOSTNAME,
    roots: root === undefined ? [] : [trusted(root)],
    pins: [SNAPSHOT_DIGEST],
    observed_leaf: TLS_FINGERPRINT,
    accept_producer_asserted: false,
    now: NOW,
    max_bundle_age_ms: 86_400_000,
    newest_issued_at: null,
    ...expect,
  }
}

/** A certificate as the trust store holds it. */
export function trusted(der: Uint8Array, isNamed = true): VectorExpectation['roots'][number] {
  return { pem: pem(der), require_leaf_name: isNamed }
}
