import type { ConformanceResults } from '#contract/models'
import { worst } from '../engine/verdict.ts'

/** Exit codes of the suite (conformance/README.md). */
export const EXIT = { conformant: 0, failing: 1, error: 2, partial: 3, usage: 64 } as const

/** The exit code of a run: 2 when any scenario ended as `error`, else that of the worst profile. */
export function exitCodeOf({
  profiles,
  scenarios,
}: Pick<ConformanceResults, 'profiles' | 'scenarios'>): number {
  if (scenarios.some(({ verdict }) => verdict === 'error')) return EXIT.error
  return EXIT[worst(profiles.map(({ verdict }) => verdict))]
}
