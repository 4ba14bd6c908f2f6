import type { ProfileResult, RuleBreak } from '#contract/models'
import type { Origin } from '../engine/rules.ts'
import { UNIVERSAL } from '../engine/universal/name.ts'

type RuleResult = ProfileResult['rules'][number]

/** One thing that was found, and all the rules that it breaks. */
export interface Cause extends Pick<RuleBreak, 'scenario' | 'problem' | 'count'> {
  readonly rules: readonly RuleResult[]
  /** Other scenarios that found the same. */
  readonly others: number
}

/** What was found, by whether it decides: of rules that are claimed, and of the others. */
export function causesApart(
  rules: readonly RuleResult[],
  claims: readonly Origin[],
): { readonly claimed: readonly Cause[]; readonly unclaimed: readonly Cause[] } {
  const isClaimed = ({ origin }: RuleResult) => claims.includes(origin)
  return {
    claimed: causesOf(rules.filter(isClaimed)),
    unclaimed: causesOf(rules.filter((rule) => !isClaimed(rule))),
  }
}

/** Broken rules by what broke them: the causes that break most rules first. */
export function causesOf(rules: readonly RuleResult[]): readonly Cause[] {
  const broken = rules.filter(({ state }) => state === 'broken')
  const groups = Map.groupBy(broken, ({ broken_by }) => {
    // What every exchange is held to is no one thing: there the problem tells causes apart.
    const names = broken_by.map(({ scenario, problem }) =>
      scenario === UNIVERSAL ? `${UNIVERSAL}: ${problem}` : scenario,
    )
    return JSON.stringify([...new Set(names)].sort())
  })
  return [...groups.values()]
    .map((own): Cause => {
      const [first] = own[0]?.broken_by ?? []
      const { scenario = '', problem = '', count = 0 } = first ?? {}
      return { scenario, problem, count, rules: own, others: (own[0]?.broken_by.length ?? 1) - 1 }
    })
    .sort((one, other) => other.rules.length - one.rules.length)
}

/** Who says so: a check with its number, and how many others. */
export function nameOf({ scenario, count, others }: Pick<Cause, 'scenario' | 'count' | 'others'>): string {
  const times = count > 1 ? `, ${count} times` : ''
  return `${scenario}${times}${others > 0 ? `, and ${others} more` : ''}`
}
