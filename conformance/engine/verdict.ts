import type {
  OriginResult,
  ProfileResult,
  ProfileVerdict,
  ScenarioCounts,
  ScenarioVerdict,
} from '#contract/models'
import { expectationOf, isUniversalAnnounced } from './announced.ts'
import { isLeftOut, leftOut } from './optional.ts'
import type { Outcome } from './outcome.ts'
import { brokenRules, type RuleResult, statesOf } from './rule-states.ts'
import { catalogue, type Origin, originOf } from './rules.ts'
import type { Subject, Target } from './target.ts'
import { UNIVERSAL } from './universal/name.ts'

/** The verdict on one role. Only rules that the product claims decide, and no provisional scenario does; given and chosen ones are counted apart. */
export function judgeProfile(profile: Subject, outcomes: readonly Outcome[], target: Target): ProfileResult {
  // What an optional part would have shown is not missing where that is left out.
  const own = outcomes.filter(
    (one) => one.subject === profile && !one.scenario.isProvisional && !isLeftOut(one, target),
  )
  const rules = statesOf(profile, own).map((rule) => announced(rule, profile, own, target))
  const results = {
    given: judgeOrigin('given', own, rules, target),
    chosen: judgeOrigin('chosen', own, rules, target),
  }
  // What was not selected decides nothing.
  const isTold = (origin: Origin) =>
    own.some((outcome) => isOf(origin, outcome)) || results[origin].rules_broken.length > 0
  const claimed = target.claims.filter(isTold)
  const verdict = worst(claimed.map((origin) => results[origin].verdict))
  return { profile, verdict, without: [...withoutOf(profile, target)], ...results, rules }
}

/** The optional parts that are left out of a role: they are the router's, and the proxy's before it. */
function withoutOf(profile: Subject, target: Target): ProfileResult['without'] {
  return profile === 'router' || profile === 'proxy' ? [...leftOut(target)] : []
}

/** Whose verdict an outcome makes failing: nobody's when the failure was announced, or the scenario is provisional. */
export function failsOf(outcome: Outcome, target: Target): Origin[] {
  if (outcome.scenario.isProvisional) return []
  const origins: readonly Origin[] = ['given', 'chosen']
  return origins.filter((origin) => isOf(origin, outcome) && verdictOf(origin, outcome, target) === 'failing')
}

/** Says of each check that broke a rule whether the target file announces it. */
function announced(rule: RuleResult, profile: Subject, outcomes: readonly Outcome[], target: Target) {
  const isKnown = (id: string): boolean => {
    if (id === UNIVERSAL) return isUniversalAnnounced(rule.id, profile, target.expectedFailures)
    const outcome = outcomes.find(({ scenario }) => scenario.id === id)
    return outcome !== undefined && expectationOf(outcome, target.expectedFailures) === 'failed'
  }
  const broken_by = rule.broken_by.map((one) => ({ ...one, announced: isKnown(one.scenario) }))
  return { ...rule, broken_by }
}

/** Whether an outcome tells of rules of that provenance: by what it is about, or by what it broke. */
function isOf(origin: Origin, outcome: Outcome): boolean {
  if (outcome.comparison?.isSame === false && outcome.comparison.own !== 'fail') return origin === 'given'
  if (originOf(outcome.scenario.rules) === origin) return true
  return outcome.comparison?.isSame === false ? origin === 'given' : breaksOf(origin, outcome)
}

function breaksOf(origin: Origin, outcome: Outcome): boolean {
  return brokenRules(outcome).some((rule) => catalogue[rule].origin === origin)
}

function judgeOrigin(
  origin: Origin,
  outcomes: readonly Outcome[],
  rules: ProfileResult['rules'],
  target: Target,
): OriginResult {
  const own = outcomes.filter((outcome) => isOf(origin, outcome))
  const counted = rules.filter((rule) => rule.origin === origin)
  const idsOf = (wanted: string) => counted.filter(({ state }) => state === wanted).map(({ id }) => id)
  const universal = counted.flatMap(({ broken_by }) =>
    broken_by.filter(({ scenario }) => scenario === UNIVERSAL),
  )
  return {
    verdict: worst([
      ...own.map((outcome) => verdictOf(origin, outcome, target)),
      ...universal.map((one): ProfileVerdict => (one.announced ? 'partial' : 'failing')),
    ]),
    rules_kept: idsOf('kept').length,
    rules_broken: idsOf('broken'),
    rules_partly: idsOf('partly'),
    rules_untold: idsOf('untold'),
    scenarios: countVerdicts(own.map(({ verdict }) => verdict)),
  }
}

/** What one outcome means for the whole. A failure that was announced leaves the rest in doubt, not broken. */
function verdictOf(origin: Origin, outcome: Outcome, target: Target): ProfileVerdict {
  const expected = expectationOf(outcome, target.expectedFailures)
  if (expected === 'passed') return 'failing'
  if (outcome.verdict !== 'fail') {
    return outcome.verdict === 'pass' || outcome.verdict === 'warn' ? 'conformant' : 'partial'
  }
  if (expected === 'failed') return 'partial'
  // A check of another provenance ended it: what was to come of this one is untold.
  const isOthers = brokenRules(outcome).length > 0 && !breaksOf(origin, outcome)
  return isOthers && outcome.comparison?.isSame !== false ? 'partial' : 'failing'
}

const ORDER = ['conformant', 'partial', 'failing'] as const

/** The worst of several verdicts; of none: nothing was shown. */
export function worst(verdicts: readonly ProfileVerdict[]): ProfileVerdict {
  if (verdicts.length === 0) return 'partial'
  return ORDER[Math.max(...verdicts.map((verdict) => ORDER.indexOf(verdict)))]!
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
