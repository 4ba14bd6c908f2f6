import type { ConformanceResults, ProfileResult } from '#contract/models'
import { UNIVERSAL } from '../../engine/universal/name.ts'
import { html, placeOf } from './escape.ts'

type RuleResult = ProfileResult['rules'][number]

/** Where a link of the page may lead. */
export type Places = ReadonlySet<string>

/** Every place that a link may lead to. */
export function placesIn({ scenarios, profiles }: ConformanceResults): Places {
  const universal = profiles.flatMap(({ profile, rules }) =>
    rules.filter(isUniversallyBroken).map(({ id }) => placeOf(profile, UNIVERSAL, id)),
  )
  return new Set([...scenarios.filter(isShown).map(({ subject, id }) => placeOf(subject, id)), ...universal])
}

function isUniversallyBroken({ broken_by: by }: RuleResult): boolean {
  return by.some(({ scenario }) => scenario === UNIVERSAL)
}

/** What did not pass stands on the page, whether an exchange of it was kept or not. */
export function isShown({ problems, verdict }: ConformanceResults['scenarios'][number]): boolean {
  return problems.length > 0 && (verdict === 'fail' || verdict === 'warn' || verdict === 'error')
}

/** A link, where there is something that it leads to. */
export function link(places: Places, profile: string, scenario: string, rule?: string): string {
  const place = placeOf(profile, scenario, rule)
  return places.has(place) ? `<a href="#${place}">${html(scenario)}</a>` : html(scenario)
}

/** The place of a rule's row: its id, behind the role where several were judged. */
export function placeOfRule(profiles: readonly ProfileResult[], profile: string, rule: string): string {
  return profiles.length > 1
    ? placeOf(profile, rule)
    : encodeURIComponent(rule.toWellFormed()).replace(/['%]/g, '_')
}

/** A link to the row of a rule. */
export function linkToRule(profiles: readonly ProfileResult[], profile: string, rule: string): string {
  return `<a href="#${placeOfRule(profiles, profile, rule)}">${html(rule)}</a>`
}
