import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the vectors show, as their committed index tells it. */
export interface VectorIndex {
  readonly vectors: readonly {
    readonly id: string
    readonly rules: readonly string[]
    readonly stage: string | null
    readonly reason: string | null
  }[]
  /** Reasons, as stage and reason, that no file can provoke, and the test that does. */
  readonly elsewhere: Readonly<Record<string, string>>
}

const INDEX = join(import.meta.dirname, '..', 'vectors', 'index.json')

/** Reads the index of the verifier's vectors. */
export function readVectorIndex(): VectorIndex {
  return JSON.parse(readFileSync(INDEX, 'utf8')) as VectorIndex
}
