import type { ConformanceResults } from '#contract/models'
import { worst } from '../engine/verdict.ts'

/** Exit codes of the suite (conformance/README.md). */
export const EXIT = { conformant: 0, failing: 1, error: 2, partial: 3, usage: 64 } as const

/** What a run ends with: its own errors come first, for they leave everything in doubt. */
export function exitCodeOf({
  profiles,
  scenarios,
}: Pick<ConformanceResults, 'profiles' | 'scenarios'>): number {
  if (scenarios.some(({ verdict }) => verdict === 'error')) return EXIT.error
  return EXIT[worst(profiles.map(({ verdict }) => verdict))]
}
