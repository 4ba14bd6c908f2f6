import type { Found } from '../engine/discover.ts'
import { differentialRules, originOf } from '../engine/rules.ts'
import { isComparable } from '../engine/scenario.ts'

/** The index of the scenarios as JSON, a scenario a line: the page of the rules joins it. */
export function describeIndex(found: readonly Found[]): string {
  const lines = found.map(({ file, scenario }) => {
    const { id, title, rules, needs, subjects } = scenario
    const compared = isComparable(scenario)
    return JSON.stringify({ id, file, title, origin: originOf(rules), rules, needs, subjects, compared })
  })
  return `{"comparison":${JSON.stringify(differentialRules)},"scenarios":[\n${lines.join(',\n')}\n]}\n`
}
