import type { ConformanceResults, ScenarioResult } from '#contract/models'
import { PROVISIONAL, provisionalIn } from './provisional.ts'

const WARNED = 'Noticed, and no rule is broken by it'

/** Scenarios under what they have in common. */
export interface Noticed {
  readonly heading: string
  readonly scenarios: readonly ScenarioResult[]
}

/** What people are shown of a role that decides nothing: what new scenarios found, and warnings. */
export function noticedIn(results: ConformanceResults, profile: string): readonly Noticed[] {
  const warned = results.scenarios.filter(({ subject, verdict }) => subject === profile && verdict === 'warn')
  return [
    { heading: PROVISIONAL, scenarios: provisionalIn(results, profile) },
    { heading: WARNED, scenarios: warned },
  ].filter(({ scenarios }) => scenarios.length > 0)
}
