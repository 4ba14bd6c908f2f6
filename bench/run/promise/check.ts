import type { Results } from '../results.ts'
import { noiseOf, spreadOf } from '../statistics/spread.ts'
import { type Row, rows } from './rows.ts'

/** What became of a line: worse than promised by no more than the run's own noise is not broken, nor is it kept. */
export type Outcome = 'aim reached' | 'kept' | 'within the noise' | 'BROKEN' | 'not measured'

/** A line of the promise, and what a run found of it. */
export interface Verdict {
  readonly row: Row
  readonly values: readonly number[] | undefined
  readonly outcome: Outcome
}

/** Holds a run to every line of the promise. */
export function verdicts(results: Results, of: readonly Row[] = rows): Verdict[] {
  return of.map((row) => {
    const values = row.of(results)
    return { row, values, outcome: judge({ ...row, stretch: aimOf(row, results) }, values) }
  })
}

/** No figure is as good as one that the run has not found. */
function aimOf({ stretch }: Row, results: Results): number {
  if (typeof stretch === 'number') return stretch
  const found = stretch.of(results)
  return found === undefined ? Number.NaN : spreadOf(found).median
}

/** What a run found, against what is promised and aimed at. */
export function judge(
  { gate, stretch, isAtMost }: Pick<Row, 'gate' | 'isAtMost'> & { readonly stretch: number },
  values: readonly number[] | undefined,
): Outcome {
  if (values === undefined || values.length === 0) return 'not measured'
  const spread = spreadOf(values)
  /** How far a figure is on the wrong side of a bound. */
  const beyond = (bound: number): number => (isAtMost ? spread.median - bound : bound - spread.median)
  if (beyond(stretch) <= 0) return 'aim reached'
  if (beyond(gate) <= 0) return 'kept'
  return beyond(gate) <= noiseOf(spread) ? 'within the noise' : 'BROKEN'
}
