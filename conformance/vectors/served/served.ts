import type { Vector } from '#contract/models'
import { readCorpus } from '../corpus.ts'
import { refused } from '../generator/vector.ts'
import type { Moment } from './moment.ts'
import { rows } from './rows.ts'

/** The vectors that a running proxy can be served, as the corpus has them: one for each stage and reason, and one that is admitted. */
export const servable: readonly Vector[] = readCorpus().filter(({ id }) => rows[id] !== undefined)

/** One of them as it is at a moment; all else of it is the corpus's. */
export function vectorAt(moment: Moment, vector: Vector): Vector {
  const question = moment.ask(rows[vector.id]!(moment))
  // What it is made of is the same for all outcomes.
  const [{ request }] = refused('fetch', '', [], { served: ['', question] }) as [Vector]
  return { ...vector, request }
}
