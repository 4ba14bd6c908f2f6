import type { Vector } from '#contract/models'
import { digest } from '../bundle.ts'
import { chainOf } from '../chain.ts'
import { keyOf } from '../keys.ts'
import { type Question, type Questions, refused, trusted } from '../vector.ts'

type Stage = NonNullable<Vector['expected']['stage']>

/** One fault of each stage, in the order of the stages. None gets in the way of another. */
const faults: readonly (readonly [Stage, string, Question])[] = [
  ['fetch', 'unsupported_version', { envelope: { version: 2 } }],
  [
    'cert-chain',
    'certificate_expired',
    { chain: chainOf('p256', { leaf: { notAfter: '2026-05-01T00:00:00Z' } }) },
  ],
  ['untrusted-root', 'root_not_trusted', { expect: { roots: [trusted(chainOf('p384').certificates[2]!)] } }],
  ['jws', 'signature_invalid', { signer: keyOf('stranger', 'p256') }],
  ['tls-fingerprint', 'leaf_mismatch', { expect: { observed_leaf: digest('another leaf') } }],
  ['policy', 'digest_not_pinned', { expect: { pins: [digest('another deployment')] } }],
]

/** Bundles with the faults of several stages: the first stage that refuses decides, and the reason is its own. */
export const orderVectors: readonly Vector[] = faults.slice(0, -1).flatMap(([stage, reason], first) =>
  refused(stage, reason, ['VRFY-01', 'VRFY-02', 'CMD-23'], {
    ...pairsFrom(first),
    ...(first < faults.length - 2 ? allFrom(first) : {}),
  }),
)

function pairsFrom(first: number): Questions {
  const pairs = faults.slice(first + 1).map(([later, , question]) => {
    const title = `A fault of ${faults[first]![0]} is told before one of ${later}`
    const both = merged([faults[first]!, [later, '', question]])
    return [`before-${later}`, [title, { ...both, isHopeless: true }]] as const
  })
  return Object.fromEntries(pairs)
}

function allFrom(first: number): Questions {
  const [stage] = faults[first]!
  const title = `Faults of every stage from ${stage} on are told by the first`
  return { [`before-all-${stage}`]: [title, { ...merged(faults.slice(first)), isHopeless: true }] }
}

function merged(some: readonly (readonly [Stage, string, Question])[]): Question {
  const questions = some.map(([, , question]) => question)
  const expect = Object.assign({}, ...questions.map((question) => question.expect))
  return { ...Object.assign({}, ...questions), expect }
}
