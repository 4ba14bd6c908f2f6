import { performance } from 'node:perf_hooks'
import type { RuleId } from '#contract/rules'
import type { Bench } from '../../conformance/engine/attempt.ts'
import type { Outcome } from '../../conformance/engine/outcome.ts'
import { statesOf } from '../../conformance/engine/rule-states.ts'
import type { Scenario } from '../../conformance/engine/scenario.ts'
import { runSuite } from '../../conformance/engine/suite.ts'
import type { Subject } from '../../conformance/engine/target.ts'
import { UNIVERSAL } from '../../conformance/engine/universal/name.ts'
import { alsoBroken, type LiveFault } from './fault.ts'

/** What found a rule broken. */
export interface Break {
  /** The scenarios in which a check of it failed, or an exchange broke it. */
  readonly scenarios: readonly string[]
  /** What was found first. */
  readonly problem: string
}

/** How a deployment did in some scenarios. */
export interface Trial {
  /** Rules that a check found broken, and by what. */
  readonly broken: ReadonlyMap<RuleId, Break>
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
    broken: breaksIn(profiles, outcomes),
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
  /** Rules that a check found broken, and that it does not say to break: where there is one, the kill is over-wide. */
  readonly beyond: readonly RuleId[]
  /** Rules that it says to break besides, and that no check found broken. */
  readonly unbroken: readonly RuleId[]
}

/**
 * Holds a trial against what a fault says of itself: each of its rules was broken by a check of that rule, so a given one
 * by a given check, and each of its scenarios failed, so none of them is there for nothing.
 */
export function judgeTrial(fault: LiveFault, { broken, failed }: Trial): Judgement {
  const { violates, expectKilledBy } = fault
  const besides = alsoBroken(fault)
  const missed = violates.filter((rule) => !broken.has(rule))
  const passed = expectKilledBy.filter((id) => !failed.has(id))
  return {
    isKilled: missed.length === 0 && passed.length === 0,
    missed,
    passed,
    beyond: [...broken.keys()].filter((rule) => !violates.includes(rule) && !besides.includes(rule)),
    unbroken: besides.filter((rule) => !broken.has(rule)),
  }
}

function subjectsOf({ subjects }: Scenario, at: Subject | undefined): readonly Subject[] {
  // What is seen through the proxy is compared with the router.
  if (at === 'proxy') return subjects
  return at ? subjects.filter((subject) => subject === at) : subjects.slice(0, 1)
}

function breaksIn(profiles: readonly Subject[], outcomes: readonly Outcome[]): ReadonlyMap<RuleId, Break> {
  const broken = new Map<RuleId, Break>()
  const states = profiles.flatMap((profile) => statesOf(profile, outcomes))
  for (const { id, state, broken_by } of states) {
    if (state !== 'broken') continue
    const rule = id as RuleId
    const before = broken.get(rule)
    const own = broken_by.map(({ scenario }) => scenario).filter((scenario) => scenario !== UNIVERSAL)
    const held = outcomes.filter(({ violations = [] }) =>
      violations.some(({ rules }) => rules.includes(rule)),
    )
    const found = [...(before?.scenarios ?? []), ...own, ...held.map(({ scenario }) => scenario.id)]
    const problem = before?.problem ?? broken_by[0]?.problem ?? ''
    broken.set(rule, { scenarios: [...new Set(found)], problem })
  }
  return broken
}

function isKept({ verdict }: Outcome): boolean {
  return verdict === 'pass' || verdict === 'warn'
}

function isClean(outcome: Outcome): boolean {
  return isKept(outcome) && (outcome.violations ?? []).every(({ rules }) => rules.length === 0)
}
