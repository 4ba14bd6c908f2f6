import type { RuleId } from '#contract/rules'
import { catalogue } from '../../conformance/engine/rules.ts'
import { faults as verifierFaults } from '../verifier/faults.ts'
import { faults } from './faults.ts'
import { without } from './without.ts'

/** Given rules that an exchange or a vector can show of a product: each wants a fault that breaks it. */
export const demanded: readonly RuleId[] = (Object.keys(catalogue) as RuleId[]).filter((id) => {
  const { origin, test, subjects } = catalogue[id]
  if (origin !== 'given' || test === 'inspection' || test === 'out-of-scope') return false
  return subjects.some((subject) => subject !== 'client')
})

const broken = new Set<RuleId>([...faults, ...verifierFaults].flatMap(({ violates }) => violates))

/** Those that have no fault, and no reason for it. */
export function undemonstrated(): readonly RuleId[] {
  return demanded.filter((id) => !broken.has(id) && without[id] === undefined)
}

/** Those that have a reason to have no fault, and need none. */
export function overexcused(): readonly string[] {
  return Object.keys(without).filter((id) => broken.has(id as RuleId) || !demanded.includes(id as RuleId))
}
