import type { ConformanceResults } from '#contract/models'
import { provenance } from './provenance.ts'

/** Which suite it is that judges, and how many scenarios it has. */
export function describeSuite(scenarios: number): ConformanceResults['suite'] {
  const { version, commit, ...judgedBy } = provenance()
  return { version, commit, scenarios, ...judgedBy }
}
