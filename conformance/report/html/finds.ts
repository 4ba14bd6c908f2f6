import type { ConformanceResults, ProfileResult, ScenarioResult } from '#contract/models'
import { html } from './escape.ts'
import { linkToRule } from './places.ts'

type RuleResult = ProfileResult['rules'][number]

/** What a scenario told of rules, which may be others than it counts for. */
export function describeFinds(
  { id, subject, rules }: ScenarioResult,
  { profiles }: ConformanceResults,
): string {
  const known = profiles.find(({ profile }) => profile === subject)?.rules ?? []
  const named = (own: readonly string[]) => own.map((rule) => linkToRule(profiles, subject, rule)).join(', ')
  const idsOf = (isIt: (rule: RuleResult) => boolean) => known.filter(isIt).map((rule) => rule.id)
  const broken = idsOf(({ broken_by: by }) => by.some(({ scenario }) => scenario === id))
  const untold = idsOf(({ untold_by: by }) => by.some(({ scenario }) => scenario === id))
  const beside = broken.filter((rule) => !rules.includes(rule))
  return [
    `Counts for ${rules.map((rule) => (known.some((one) => one.id === rule) ? named([rule]) : html(rule))).join(', ')}.`,
    broken.length > 0 ? `Breaks ${named(broken)}.` : '',
    beside.length > 0
      ? `It is not about ${named(beside)}: what it asked for or was answered breaks ${beside.length === 1 ? 'that rule' : 'those rules'} all the same.`
      : '',
    untold.length > 0 ? `Ended before it told of ${named(untold)}.` : '',
  ]
    .filter(Boolean)
    .join(' ')
}
