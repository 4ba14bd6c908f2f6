import type { ConformanceResults, ScenarioResult } from '#contract/models'

/** Why people are shown them apart. */
export const PROVISIONAL =
  'New scenarios that did not pass, which decide nothing in this version of the suite'

/** New scenarios that found something at a role, or could not be run: told, and deciding nothing. */
export function provisionalIn({ scenarios }: ConformanceResults, profile: string): readonly ScenarioResult[] {
  return scenarios.filter(
    ({ subject, provisional, verdict }) =>
      subject === profile && provisional && (verdict === 'fail' || verdict === 'error'),
  )
}
