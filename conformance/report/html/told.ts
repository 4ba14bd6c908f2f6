import type { ConformanceResults, ProfileResult } from '#contract/models'
import { UNIVERSAL } from '../../engine/universal/name.ts'
import { ANSWERS } from '../causes.ts'
import { html } from './escape.ts'
import { link, type Places } from './places.ts'

type RuleResult = ProfileResult['rules'][number]

/** So many findings of a rule are told in its cause (ours); its row names all. */
const MAX_FINDINGS = 5

/** The checks that tell of a rule, with links to those that broke it, or why none could tell. */
export function toldBy(
  profile: string,
  { id, state, held, broken_by: broken, untold_by: gaps }: RuleResult,
  places: Places,
  scenarios: ConformanceResults['scenarios'],
): string {
  if (state === 'broken')
    return [...new Set(broken.map(({ scenario }) => link(places, profile, scenario, id)))].join(', ')
  if (state === 'kept')
    return `${held === 1 ? '1 check' : `${held} checks`}${passedFor(profile, id, scenarios)}`
  const [first] = gaps
  if (first === undefined) return ''
  const more = gaps.length > 1 ? `, and ${gaps.length - 1} more` : ''
  return `${link(places, profile, first.scenario, id)}: ${html(firstLine(first.reason))}${more}`
}

/** What each check found that broke a rule, those of its cause first, the same once. */
export function findingsOf(
  profile: string,
  { id, broken_by: broken }: RuleResult,
  places: Places,
  cause: { readonly scenario: string },
): string {
  const own = broken.toSorted(
    (one, other) => Number(other.scenario === cause.scenario) - Number(one.scenario === cause.scenario),
  )
  const found = [...Map.groupBy(own, ({ problem }) => firstLine(problem))].map(([problem, some]) => {
    const who = some.map(({ scenario, count }) => {
      const times = scenario === UNIVERSAL ? `, in ${count} ${count === 1 ? 'answer or event' : ANSWERS}` : ''
      return `${link(places, profile, scenario, id)}${times}`
    })
    const first = some.some(({ scenario, count }) => scenario === UNIVERSAL && count > 1) ? 'first: ' : ''
    return `<li>${who.join(', ')}: ${first}${html(problem)}</li>`
  })
  const more = found.length - MAX_FINDINGS
  const rest = more > 0 ? `<li>and ${more} more, which its row names</li>` : ''
  return `<ul>${found.slice(0, MAX_FINDINGS).join('')}${rest}</ul>`
}

function passedFor(profile: string, rule: string, scenarios: ConformanceResults['scenarios']): string {
  const own = scenarios.filter(
    ({ subject, verdict, rules }) =>
      subject === profile && (verdict === 'pass' || verdict === 'warn') && rules.includes(rule),
  )
  return own.length === 0 ? '' : `: ${own.map(({ id }) => html(id)).join(', ')}`
}

/** The first line of a text. */
export function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}
