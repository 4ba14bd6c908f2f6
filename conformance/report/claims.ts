import type { ConformanceResults } from '#contract/models'
import type { Origin } from '../engine/rules.ts'

/** Whose rules decide verdicts, exit code and JUnit: those that are claimed; of a run of one provenance, that one. */
export function claimsIn({
  target,
  selection,
}: Pick<ConformanceResults, 'target' | 'selection'>): readonly Origin[] {
  return selection.origin === null ? target.claims : [selection.origin]
}
