import type { ConformanceResults, ScenarioResult } from '#contract/models'
import { worst } from '../engine/verdict.ts'
import { claimsIn } from '../report/claims.ts'

/** Exit codes of the suite (conformance/README.md). */
export const EXIT = { conformant: 0, failing: 1, error: 2, partial: 3, usage: 64 } as const

/**
 * The exit code of a run: 2 when the suite itself failed, in a scenario that decides or in none, else that of the
 * worst profile, which claimed rules alone decide.
 */
export function exitCodeOf(
  results: Pick<ConformanceResults, 'profiles' | 'scenarios' | 'faults' | 'target' | 'selection'>,
): number {
  const { profiles, scenarios, faults } = results
  const claims = claimsIn(results)
  if (faults.length > 0) return EXIT.error
  const isError = ({ verdict, origin, provisional }: ScenarioResult) =>
    verdict === 'error' && claims.includes(origin) && !provisional
  if (scenarios.some(isError)) return EXIT.error
  return EXIT[worst(profiles.map(({ verdict }) => verdict))]
}
