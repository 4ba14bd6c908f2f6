import type { Vector } from '#contract/models'
import { readCorpus } from '../vectors/corpus.ts'
import { elsewhere } from '../vectors/elsewhere.ts'

/** What the vectors show, and what is shown elsewhere. */
export interface VectorIndex {
  readonly vectors: readonly Pick<Vector, 'id' | 'rules' | 'expected'>[]
  /** Reasons, as stage and reason, that no file can provoke, and the test that does. */
  readonly elsewhere: Readonly<Record<string, string>>
}

/** Reads what the verifier's vectors show. */
export function readVectorIndex(): VectorIndex {
  return { vectors: readCorpus(), elsewhere }
}
