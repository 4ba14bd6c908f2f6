import type { ConformanceFeature } from '#contract/models'
import { featureOf } from './needs.ts'
import type { Outcome } from './outcome.ts'
import type { Target } from './target.ts'

/** What the specification calls optional or an extension: whoever leaves it out keeps every rule (SRV-07, EP-19). */
const OPTIONAL: readonly ConformanceFeature[] = ['embeddings', 'invitations']

type Claiming = Pick<Target, 'features'>

/** The optional parts that a product leaves out. */
export function leftOut({ features }: Claiming): readonly ConformanceFeature[] {
  return OPTIONAL.filter((feature) => !features.has(feature))
}

/** Whether a scenario did not run for nothing but optional parts that are left out: then it tells nothing, and lacks nothing. */
export function isLeftOut(
  { verdict, scenario }: Pick<Outcome, 'verdict' | 'scenario'>,
  target: Claiming,
): boolean {
  if (verdict !== 'not-supported') return false
  const missing = scenario.needs
    .flatMap((need) => featureOf(need) ?? [])
    .filter((one) => !target.features.has(one))
  return missing.length > 0 && missing.every((feature) => OPTIONAL.includes(feature))
}
