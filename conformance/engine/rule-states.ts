import type { ProfileResult } from '#contract/models'
import type { RuleId } from '#contract/rules'
import type { Outcome } from './outcome.ts'
import { catalogue, differentialRules, ruleTexts } from './rules.ts'
import { isComparable, type Scenario } from './scenario.ts'
import type { Subject } from './target.ts'
import { UNIVERSAL } from './universal/name.ts'

/** What was found of one rule. */
export type RuleResult = ProfileResult['rules'][number]

/** What one scenario, or the universal checks, told of a rule. */
interface Told {
  readonly held: number
  readonly broken: readonly RuleResult['broken_by'][number][]
  /** Why not all of it was told; undefined when it was. */
  readonly gap: string | undefined
}

/** Outcomes of one role to the state of each rule that it can tell of, in the order of the catalogue. */
export function statesOf(profile: Subject, outcomes: readonly Outcome[]): RuleResult[] {
  const told = new Map<RuleId, [string, Told][]>()
  const tell = (rule: RuleId, scenario: string, one: Told) =>
    void told.set(rule, [...(told.get(rule) ?? []), [scenario, one]])
  for (const outcome of outcomes) {
    const { scenario } = outcome
    for (const rule of countedRules(scenario.rules, profile)) tell(rule, scenario.id, toldBy(rule, outcome))
    // What a reader of the suite found is no matter of the scenario's.
    for (const rule of brokenRules(outcome)) {
      if (!scenario.rules.includes(rule)) tell(rule, scenario.id, toldBy(rule, outcome))
    }
    if (profile !== 'proxy' || !isComparable(scenario)) continue
    for (const rule of differentialRules) tell(rule, scenario.id, toldByComparison(outcome))
  }
  for (const [rule, broken] of universalBreaks(outcomes)) {
    tell(rule, UNIVERSAL, { held: 0, broken: [broken], gap: undefined })
  }
  const known = Object.keys(catalogue) as RuleId[]
  return known.flatMap((rule) => {
    const own = told.get(rule)
    return own ? [resultOf(rule, own)] : []
  })
}

/** The rules that the scenario broke, of those that it counts for. */
export function brokenRules({ shown, verdict, scenario }: Outcome): readonly RuleId[] {
  if (shown === undefined) return verdict === 'fail' ? scenario.rules : []
  return [...new Set(shown.broken.flatMap(({ rules }) => rules))]
}

function resultOf(rule: RuleId, told: readonly (readonly [string, Told])[]): RuleResult {
  const { origin, ref } = catalogue[rule]
  const held = told.reduce((sum, [, one]) => sum + one.held, 0)
  const broken = told.flatMap(([, one]) => one.broken)
  const gaps = told.flatMap(([scenario, { gap }]) => (gap === undefined ? [] : [{ scenario, reason: gap }]))
  const isShown = held > 0 || told.some(([, { gap }]) => gap === undefined)
  const state = broken.length > 0 ? 'broken' : gaps.length === 0 ? 'kept' : isShown ? 'partly' : 'untold'
  const text = ruleTexts.get(rule) ?? ''
  return { id: rule, origin, section: ref, text, state, held, broken_by: [...broken], untold_by: gaps }
}

function toldBy(rule: RuleId, { scenario, shown, verdict, comparison, problems }: Outcome): Told {
  const own = comparison?.own ?? verdict
  const isWhole = own === 'pass' || own === 'warn'
  // What did not run has shown nothing; what was written down by hand shows all or breaks all.
  const held = shown?.held.get(rule) ?? 0
  const broken = shown
    ? shown.broken.filter(({ rules }) => rules.includes(rule)).map(({ problem }) => problem)
    : own === 'fail'
      ? [problems[0] ?? 'it failed']
      : []
  const isMissed = isWhole && shown !== undefined && shown.held.size > 0 && held === 0
  const gap = isWhole ? (isMissed ? 'it asserted nothing of the rule' : undefined) : (problems[0] ?? own)
  return {
    held,
    broken: broken.map((problem) => ({ scenario: scenario.id, problem, count: 1, announced: false })),
    gap: broken.length > 0 ? undefined : gap,
  }
}

/** The comparison alone tells whether the proxy is the router's equal, whatever else fails. */
function toldByComparison({ scenario, comparison, problems }: Outcome): Told {
  if (comparison === undefined) return { held: 0, broken: [], gap: 'nothing was compared' }
  if (comparison.isSame) return { held: 1, broken: [], gap: undefined }
  const problem = problems.at(-1) ?? 'the proxy answers otherwise'
  const broken = [{ scenario: scenario.id, problem, count: 1, announced: false }]
  return { held: 0, broken, gap: undefined }
}

/** Each rule that exchanges broke beside what their scenarios are about, told once with the number of times. */
function universalBreaks(outcomes: readonly Outcome[]): ReadonlyMap<RuleId, RuleResult['broken_by'][number]> {
  const found = new Map<RuleId, RuleResult['broken_by'][number]>()
  for (const { violations = [] } of outcomes) {
    for (const { rules, problem } of violations) {
      for (const rule of rules) {
        const { count = 0, problem: first = problem } = found.get(rule) ?? {}
        found.set(rule, { scenario: UNIVERSAL, problem: first, count: count + 1, announced: false })
      }
    }
  }
  return found
}

/** Which of a scenario's rules bind whom it ran at. */
function countedRules(rules: Scenario['rules'], profile: Subject): readonly RuleId[] {
  // A console is a part of its router.
  if (profile === 'console') return rules.filter((rule) => isOfConsole(catalogue[rule].subjects))
  if (profile === 'router') return rules.filter((rule) => bindsRouter(catalogue[rule].subjects))
  return rules.filter((rule) => catalogue[rule].subjects.includes(profile))
}

function isOfConsole(subjects: readonly string[]): boolean {
  return subjects.includes('console') || subjects.includes('router')
}

function bindsRouter(subjects: readonly string[]): boolean {
  return subjects.includes('router') || !['proxy', 'platform'].some((other) => subjects.includes(other))
}
