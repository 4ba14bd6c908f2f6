import type { Step } from './steps.ts'

/** What a release is made of, and how. */
export interface ReleaseOptions {
  /** The clone. */
  readonly root: string
  /** Below which `<version>/` is made. */
  readonly into: string
  readonly steps: readonly Step[]
  /** File of an SSH key that signs; left out where nothing is released. */
  readonly key?: string | undefined
  /** Leaves out what tests: what is written then is no release. */
  readonly skipTests: boolean
  /** Only tells what would be done. */
  readonly dryRun: boolean
  /** Told what goes on, for people. */
  readonly tell: (line: string) => void
}
