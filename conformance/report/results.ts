import { isObject } from '#base/object.ts'
import type { ConformanceResults, ProfileResult } from '#contract/models'
import { expectationOf } from '../engine/announced.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { Redactor } from '../engine/redact.ts'
import { type Origin, originOf } from '../engine/rules.ts'
import type { Subject, Target } from '../engine/target.ts'
import { judgeThrown } from '../engine/thrown.ts'
import { UNIVERSAL } from '../engine/universal/name.ts'
import { failsOf, judgeProfile } from '../engine/verdict.ts'
import { announcedIn } from './announced.ts'
import { clipped, describeExchange } from './exchange.ts'
import { observe } from './observed.ts'

/** What a run was and what it found. */
export interface Run {
  readonly target: Target
  readonly profiles: readonly Subject[]
  readonly outcomes: readonly Outcome[]
  readonly startedAt: Date
  readonly durationMs: number
  readonly suite: ConformanceResults['suite']
  readonly selection: ConformanceResults['selection']
  /** What was thrown by no scenario. */
  readonly faults?: readonly unknown[]
}

/** Describes a run as `results.json`; no secret is in it. What cannot be described is a fault, and the rest stands. */
export function describeRun(run: Run, redactor: Redactor): ConformanceResults {
  const { target, outcomes, selection } = run
  const judged = { ...target, claims: claimsOf(target, selection.origin) }
  const faults = (run.faults ?? []).map((thrown) => judgeThrown(thrown).problem)
  const safely = <T>(describe: () => T, otherwise: () => T): T => {
    try {
      return describe()
    } catch (thrown) {
      faults.push(judgeThrown(thrown).problem)
      return otherwise()
    }
  }
  const profiles = run.profiles.map((profile) =>
    withExamples(judgeProfile(profile, outcomes, judged), outcomes, redactor),
  )
  const results: ConformanceResults = {
    version: 2,
    suite: run.suite,
    product: target.product,
    target: describeTarget(target),
    started_at: run.startedAt.toISOString(),
    duration_ms: Math.round(run.durationMs),
    selection,
    profiles,
    scenarios: outcomes.map((outcome) =>
      safely(
        () => describeOutcome(outcome, target, redactor),
        () => describeOutcome({ ...outcome, verdict: 'error', exchanges: [] }, target, redactor),
      ),
    ),
    observed: safely(
      () => observe(outcomes, target),
      () => [],
    ),
    announced: announcedIn(target, outcomes, profiles),
    faults,
  }
  return redacted(results, redactor) as ConformanceResults
}

/** Gives each check of every exchange the first that broke it: there is no scenario in which it could be looked up. */
function withExamples(
  result: ProfileResult,
  outcomes: readonly Outcome[],
  redactor: Redactor,
): ProfileResult {
  const violations = outcomes
    .filter(({ subject }) => subject === result.profile)
    .flatMap(({ violations: own = [] }) => own)
  const exampleOf = (rule: string) =>
    violations.find(({ rules, exchange }) => exchange && rules.some((id) => id === rule))?.exchange
  const rules = result.rules.map((rule) => ({
    ...rule,
    broken_by: rule.broken_by.map((one) => {
      const example = one.scenario === UNIVERSAL ? exampleOf(rule.id) : undefined
      return example === undefined ? one : { ...one, example: describeExchange(example, redactor) }
    }),
  }))
  return { ...result, rules }
}

function describeTarget(target: Target): ConformanceResults['target'] {
  const { claims, profiles, features, hooks, mayGenerate, slack, verifier } = target
  const named = Object.entries(hooks).filter(([, hook]) => hook !== undefined)
  return {
    claims: [...claims],
    profiles: [...profiles],
    features: [...features].sort(),
    hooks: named.map(([name]) => name).sort(),
    may_generate: mayGenerate,
    slack,
    ...(verifier && { verifier: { same_product: verifier.sameProduct } }),
  }
}

/** A run of one provenance judges that one alone. */
function claimsOf({ claims }: Target, origin: Origin | null): readonly Origin[] {
  return origin === null ? claims : [origin]
}

function describeOutcome(
  outcome: Outcome,
  target: Target,
  redactor: Redactor,
): ConformanceResults['scenarios'][number] {
  const { scenario, subject, verdict, problems, durationMs } = outcome
  const isShown = verdict === 'fail' || verdict === 'warn' || verdict === 'error'
  return {
    id: scenario.id,
    subject,
    title: scenario.title,
    rules: [...scenario.rules],
    origin: originOf(scenario.rules),
    verdict,
    provisional: scenario.isProvisional,
    fails: failsOf(outcome, target),
    expected: expectationOf(outcome, target.expectedFailures),
    problems: problems.map((problem) => clipped(problem)),
    duration_ms: durationMs,
    exchanges: isShown
      ? outcome.exchanges.slice(-MAX_EXCHANGES).map((one) => describeExchange(one, redactor))
      : [],
  }
}

/** What is kept of a scenario that did not pass (ours). */
const MAX_EXCHANGES = 20

function redacted(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.redact(value)
  if (Array.isArray(value)) return value.map((one) => redacted(one, redactor))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [redactor.redact(name), redacted(one, redactor)]),
  )
}
