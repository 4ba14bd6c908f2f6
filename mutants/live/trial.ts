import { performance } from 'node:perf_hooks'
import type { RuleId } from '#contract/rules'
import type { Bench } from '../../conformance/engine/attempt.ts'
import type { Outcome } from '../../conformance/engine/outcome.ts'
import { statesOf } from '../../conformance/engine/rule-states.ts'
import type { Scenario } from '../../conformance/engine/scenario.ts'
import { runSuite } from '../../conformance/engine/suite.ts'
import type { Subject } from '../../conformance/engine/target.ts'
import type { LiveFault } from './fault.ts'

/** How a deployment did in some scenarios. */
export interface Trial {
  /** Rules that a check found broken. */
  readonly broken: ReadonlySet<RuleId>
  /** Scenarios that did not pass, or in which an exchange broke what every one is held to. */
  readonly failed: ReadonlySet<string>
  /** What the suite itself stumbled over, a line each. */
  readonly errors: readonly string[]
  /** What was found first in each scenario that failed. */
  readonly problems: ReadonlyMap<string, string>
  readonly durationMs: number
}

/** What trials are run with. */
export interface TrialBench extends Bench {
  readonly jobs: number
}

/** Runs scenarios where a fault shows: where it says, else each at its first subject. */
export async function tryScenarios(
  scenarios: readonly Scenario[],
  bench: TrialBench,
  at?: Subject,
): Promise<Trial> {
  const startedMs = performance.now()
  const placed = scenarios.map((scenario) => ({ ...scenario, subjects: subjectsOf(scenario, at) }))
  const profiles = at ? [at] : [...new Set(placed.flatMap(({ subjects }) => subjects))]
  const faults: unknown[] = []
  const outcomes = await runSuite({
    ...bench,
    scenarios: placed,
    profiles,
    isSlow: true,
    onFault: (thrown) => faults.push(thrown),
  })
  const bad = outcomes.filter((outcome) => !isKept(outcome))
  return {
    broken: new Set(profiles.flatMap((profile) => brokenAt(profile, outcomes))),
    failed: new Set(outcomes.filter((one) => !isClean(one)).map(({ scenario }) => scenario.id)),
    errors: [
      ...bad
        .filter(({ verdict }) => verdict !== 'fail')
        .map(({ scenario, problems }) => `${scenario.id}: ${problems[0]}`),
      ...faults.map(String),
    ],
    problems: new Map(bad.map(({ scenario, problems }) => [scenario.id, problems[0] ?? ''])),
    durationMs: Math.round(performance.now() - startedMs),
  }
}

/** How a fault came off. */
export interface Judgement {
  readonly isKilled: boolean
  /** Rules that it breaks, and that no check found broken. */
  readonly missed: readonly RuleId[]
  /** Scenarios that should have failed, and passed. */
  readonly passed: readonly string[]
  /** Scenarios that failed, and should not have. */
  readonly beyond: readonly string[]
}

/**
 * Holds a trial against what a fault says of itself: each of its rules was broken by a check of that rule, so a given one
 * by a given check, and each of its scenarios failed, so none of them is there for nothing.
 */
export function judgeTrial({ violates, expectKilledBy }: LiveFault, { broken, failed }: Trial): Judgement {
  const missed = violates.filter((rule) => !broken.has(rule))
  const passed = expectKilledBy.filter((id) => !failed.has(id))
  const beyond = [...failed].filter((id) => !expectKilledBy.includes(id))
  return { isKilled: missed.length === 0 && passed.length === 0, missed, passed, beyond }
}

function subjectsOf({ subjects }: Scenario, at: Subject | undefined): readonly Subject[] {
  // What is seen through the proxy is compared with the router.
  if (at === 'proxy') return subjects
  return at ? subjects.filter((subject) => subject === at) : subjects.slice(0, 1)
}

function brokenAt(profile: Subject, outcomes: readonly Outcome[]): RuleId[] {
  return statesOf(profile, outcomes)
    .filter(({ state }) => state === 'broken')
    .map(({ id }) => id as RuleId)
}

function isKept({ verdict }: Outcome): boolean {
  return verdict === 'pass' || verdict === 'warn'
}

function isClean(outcome: Outcome): boolean {
  return isKept(outcome) && (outcome.violations ?? []).every(({ rules }) => rules.length === 0)
}
