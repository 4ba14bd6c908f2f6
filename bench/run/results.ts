import type { OtherResult } from './others.ts'

/** Figures of every round by their names, such as `perSecond`; see `measures/turn.ts`. */
export type FiguresByRound = Readonly<Record<string, readonly number[]>>

/** What one measure found. */
export interface Found {
  readonly id: string
  readonly title: string
  readonly subjects: Readonly<Record<string, FiguresByRound>>
  /** What could not be measured of whom, and why. */
  readonly missing: Readonly<Record<string, string>>
}

/** What a run found, as it stands in `results.json`. */
export interface Results {
  /** What was checked out, as `git describe` names it: `-dirty` where files were changed; null without git. */
  readonly commit: string | null
  readonly startedAt: string
  readonly seconds: number
  readonly machine: Machine
  readonly method: Method
  readonly subjects: readonly { readonly name: string; readonly description: string }[]
  /** Subjects that this machine does not have, and why. */
  readonly unavailable: Readonly<Record<string, string>>
  readonly measures: readonly Found[]
  /** What the benchmarks beside this one came to, where they were run. */
  readonly others: readonly OtherResult[]
}

/** Where it ran. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGib: number
  readonly system: string
  readonly versions: Readonly<Record<string, string>>
  /** Load average of the last minute before the run: more than a little, and others were at work. */
  readonly loadBefore: number
}

/** How it ran. */
export interface Method {
  readonly rounds: number
  readonly turnMs: number
  readonly heatMs: number
  readonly warmMs: number
  /** The core of what is measured; null where nothing is pinned. */
  readonly subjectCore: number | null
  readonly loadProcesses: number
  readonly backendProcesses: number
  readonly hasInstructions: boolean
  /** PostgreSQL's settings, as it told them itself. */
  readonly durable: readonly string[]
}

/** What was found of a subject under a name; undefined where nothing was. */
export function figuresIn(
  { measures }: Pick<Results, 'measures'>,
  measure: string,
  subject: string,
  figure: string,
): readonly number[] | undefined {
  const found = measures.find(({ id }) => id === measure)?.subjects[subject]?.[figure]
  return found?.length === 0 ? undefined : found
}
