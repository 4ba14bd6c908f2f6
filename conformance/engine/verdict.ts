import type {
  OriginResult,
  ProfileResult,
  ProfileVerdict,
  ScenarioCounts,
  ScenarioVerdict,
} from '#contract/models'
import type { RuleId } from '#contract/rules'
import type { Comparison, Outcome } from './outcome.ts'
import { catalogue, differentialRules, type Origin, originOf } from './rules.ts'
import { isComparable } from './scenario.ts'
import type { ExpectedFailure, Subject, Target } from './target.ts'

/** How an outcome that the target file announces as a failure has ended; null when not announced, or not run. */
export function expectationOf(
  { scenario, subject, verdict }: Outcome,
  announced: readonly ExpectedFailure[],
): 'failed' | 'passed' | null {
  const isAnnounced = announced.some(
    (one) => one.scenario === scenario.id && (one.subject ?? subject) === subject,
  )
  if (!isAnnounced) return null
  if (verdict === 'fail') return 'failed'
  return verdict === 'pass' || verdict === 'warn' ? 'passed' : null
}

/** The verdict on one role. Only rules that the product claims decide; given and chosen ones are counted apart. */
export function judgeProfile(profile: Subject, outcomes: readonly Outcome[], target: Target): ProfileResult {
  const own = outcomes.filter(({ subject }) => subject === profile)
  const results = {
    given: judgeOrigin('given', profile, own, target),
    chosen: judgeOrigin('chosen', profile, own, target),
  }
  // What was not selected decides nothing.
  const claimed = target.claims.filter((origin) => own.some((outcome) => decidingOrigin(outcome) === origin))
  return { profile, verdict: worst(claimed.map((origin) => results[origin].verdict)), ...results }
}

/** Whose rules an outcome decides on. Being the router's equal is given, whatever rules the scenario is about. */
function decidingOrigin({ scenario, comparison }: Outcome): Origin {
  return comparison?.isSame === false ? 'given' : originOf(scenario.rules)
}

function judgeOrigin(
  origin: Origin,
  profile: Subject,
  outcomes: readonly Outcome[],
  target: Target,
): OriginResult {
  const own = outcomes.filter((outcome) => decidingOrigin(outcome) === origin)
  const rules = judgeRules(origin, profile, outcomes)
  const idsOf = (state: RuleState) => [...rules].filter(([, found]) => found === state).map(([id]) => id)
  return {
    verdict: worst(own.map((outcome) => verdictOf(outcome, target))),
    rules_kept: idsOf('kept').length,
    rules_broken: idsOf('broken'),
    rules_untold: idsOf('untold'),
    scenarios: countVerdicts(own.map(({ verdict }) => verdict)),
  }
}

/** What one outcome means for the whole. A failure that was announced leaves the rest in doubt, not broken. */
function verdictOf(outcome: Outcome, target: Target): ProfileVerdict {
  const expected = expectationOf(outcome, target.expectedFailures)
  if (expected === 'passed') return 'failing'
  if (outcome.verdict === 'fail') return expected === 'failed' ? 'partial' : 'failing'
  return outcome.verdict === 'pass' || outcome.verdict === 'warn' ? 'conformant' : 'partial'
}

const ORDER = ['conformant', 'partial', 'failing'] as const

/** The worst of several verdicts; of none: nothing was shown. */
export function worst(verdicts: readonly ProfileVerdict[]): ProfileVerdict {
  if (verdicts.length === 0) return 'partial'
  return ORDER[Math.max(...verdicts.map((verdict) => ORDER.indexOf(verdict)))]!
}

type RuleState = 'kept' | 'broken' | 'untold'

function judgeRules(
  origin: Origin,
  profile: Subject,
  outcomes: readonly Outcome[],
): ReadonlyMap<RuleId, RuleState> {
  const states = new Map<RuleId, RuleState>()
  const count = (rule: RuleId, state: RuleState) => {
    if (catalogue[rule].origin === origin) states.set(rule, combine(states.get(rule), state))
  }
  for (const { scenario, verdict, comparison } of outcomes) {
    for (const rule of countedRules(scenario.rules, profile)) count(rule, stateOf(comparison?.own ?? verdict))
    if (profile !== 'proxy' || !isComparable(scenario)) continue
    for (const rule of differentialRules) count(rule, comparisonState(comparison))
  }
  return states
}

/** Which of a scenario's rules bind whom it ran at. */
function countedRules(rules: readonly RuleId[], profile: Subject): readonly RuleId[] {
  // A console is a part of its router.
  if (profile === 'console') return rules.filter((rule) => isOfConsole(catalogue[rule].subjects))
  if (profile === 'router') return rules.filter((rule) => bindsRouter(catalogue[rule].subjects))
  return rules.filter((rule) => catalogue[rule].subjects.includes(profile))
}

function isOfConsole(subjects: readonly string[]): boolean {
  return subjects.includes('console') || subjects.includes('router')
}

/** The comparison alone tells whether the proxy is the router's equal, whatever else fails. */
function comparisonState(comparison: Comparison | undefined): RuleState {
  if (comparison === undefined) return 'untold'
  return comparison.isSame ? 'kept' : 'broken'
}

function bindsRouter(subjects: readonly string[]): boolean {
  return subjects.includes('router') || !['proxy', 'platform'].some((other) => subjects.includes(other))
}

function stateOf(verdict: ScenarioVerdict): RuleState {
  if (verdict === 'fail') return 'broken'
  return verdict === 'pass' || verdict === 'warn' ? 'kept' : 'untold'
}

function combine(before: RuleState = 'untold', now: RuleState): RuleState {
  if (before === 'broken' || now === 'broken') return 'broken'
  return before === 'kept' || now === 'kept' ? 'kept' : 'untold'
}

/** Counts verdicts by kind. */
function countVerdicts(verdicts: readonly ScenarioVerdict[]): ScenarioCounts {
  const count = (wanted: ScenarioVerdict) => verdicts.filter((verdict) => verdict === wanted).length
  return {
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    not_supported: count('not-supported'),
    not_testable: count('not-testable'),
    disabled: count('disabled'),
    error: count('error'),
  }
}
