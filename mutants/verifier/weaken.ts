import type { VerifierResults } from '#contract/models'
import type { JudgedStage, Mutant } from './stages.ts'

const ROOT = new URL('../../', import.meta.url)
const NODE = JSON.stringify(process.execPath)
const fileOf = (path: string) => JSON.stringify(new URL(path, ROOT).pathname)

/** The command line of our own verifier, whole or with one stage weakened. */
export function commandOf(stage?: JudgedStage): string {
  const verifier = fileOf('proxy/verifier/main.ts')
  if (stage === undefined) return `${NODE} ${verifier}`
  return `WEAKENED_STAGE=${stage} ${NODE} --import ${fileOf('mutants/verifier/register.ts')} ${verifier}`
}

/** The command line of our own verifier with a small fault planted in it. */
export function plantedCommandOf(id: string): string {
  const plant = fileOf('mutants/verifier/plant.ts')
  return `PLANTED_FAULT=${id} ${NODE} --import ${plant} ${fileOf('proxy/verifier/main.ts')}`
}

/** Where the vectors' results differ from those that a planted fault should have; both lists are empty when none do. */
export interface Kill {
  /** Vectors that should have admitted wrongly and did not. */
  readonly missed: readonly string[]
  /** Vectors of other stages that told as well, or refusals without hope that were admitted. */
  readonly beyond: readonly string[]
}

/** Compares results with the vectors that a weakened stage should answer wrongly. */
export function killOf({ expectKilledBy }: Mutant, stage: JudgedStage, results: VerifierResults): Kill {
  const expected = new Set(expectKilledBy)
  const admitted = new Set(
    results.vectors.filter((one) => one.verdict === 'wrongly-admitted').map(({ id }) => id),
  )
  const isBeyond = ({ id, verdict }: VerifierResults['vectors'][number]) => {
    if (expected.has(id)) return false
    // What could not be admitted at all may be refused on another ground once its own is gone.
    return id.startsWith(`${stage}/`) && verdict === 'other-ground' ? false : verdict !== 'pass'
  }
  return {
    missed: expectKilledBy.filter((id) => !admitted.has(id)),
    beyond: results.vectors.filter(isBeyond).map(({ id }) => id),
  }
}
