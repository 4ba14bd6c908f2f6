import type { Prepared, Running } from '../subjects/subject.ts'
import type { Figures, Tools } from './turn.ts'

/** A subject that is up for the whole run, and can be started another time beside that. */
export interface Present {
  readonly name: string
  /** What alone is measured of it. */
  readonly measures: readonly string[] | undefined
  readonly prepared: Prepared
  readonly running: Running
}

/** Something that is measured of every subject, once each round. */
export interface Measure {
  /** For `--only` and `results.json`. */
  readonly id: string
  readonly title: string
  /** Whether it belongs to `--quick`. */
  readonly isQuick: boolean
  /** Whether it can be measured of a subject; of every one unless it is said. */
  fits?(subject: Present): boolean
  take(subject: Present, tools: Tools): Promise<Figures>
}
