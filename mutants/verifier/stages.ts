import type { Vector, VectorFile } from '#contract/models'

/** A stage of the verification that judges a bundle. */
export type JudgedStage = VectorFile['stage']

/** Which modules of the product a weakened stage replaces, each with what stands in for it. */
export const replacements: Readonly<Record<JudgedStage, Readonly<Record<string, string>>>> = {
  fetch: {
    'attestation/bundle.ts': './fetch/bundle.ts',
    'egress/evidence/fetch.ts': './fetch/fetch.ts',
  },
  'cert-chain': { 'attestation/chain.ts': './cert-chain/chain.ts' },
  'untrusted-root': {
    'attestation/roots.ts': './untrusted-root/roots.ts',
    'attestation/attested.ts': './untrusted-root/attested.ts',
  },
  jws: {
    'attestation/jws.ts': './jws/jws.ts',
    'attestation/payload.ts': './jws/payload.ts',
    'attestation/freshness.ts': './jws/freshness.ts',
    'attestation/snapshot.ts': './jws/snapshot.ts',
  },
  'tls-fingerprint': { 'attestation/binding.ts': './tls-fingerprint/binding.ts' },
  policy: { 'attestation/policy.ts': './policy/policy.ts' },
}

/** The stages that can be weakened. */
export const weakenedStages = Object.keys(replacements) as JudgedStage[]

/** A fault that is planted, the rules that it breaks and the vectors that have to tell. */
export interface Mutant {
  readonly id: string
  readonly violates: readonly string[]
  readonly expectKilledBy: readonly string[]
}

/** The mutant of a weakened stage: every vector whose only fault lies there is wrongly admitted, and nothing else is. */
export function mutantOf(stage: JudgedStage, vectors: readonly Vector[]): Mutant {
  const killers = vectors.filter(({ expected }) => expected.stage === stage && expected.sole_fault === true)
  return {
    id: `verifier/without-${stage}`,
    violates: [...new Set(killers.flatMap(({ rules }) => rules))].sort(),
    expectKilledBy: killers.map(({ id }) => id),
  }
}
