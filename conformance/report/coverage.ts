import { type ConformanceResults, errors, type OperationId, type RuleId, routes } from '#contract'
import { catalogue, differentialRules, type Rule } from '../engine/rules.ts'
import type { Scenario } from '../engine/scenario.ts'

/** What the suite shows and what it does not. */
export interface Coverage {
  readonly rules: readonly RuleCoverage[]
  /** Undefined without the results of a run. */
  readonly answers: readonly AnswerCoverage[] | undefined
  readonly codes: readonly { readonly code: string; readonly count: number }[] | undefined
}

/** One rule that an exchange can show, and the scenarios that count for it. */
export interface RuleCoverage extends Pick<Rule, 'origin' | 'level' | 'subjects' | 'test'> {
  readonly id: RuleId
  readonly scenarios: readonly string[]
}

/** One status that an operation declares, and how often a passing scenario was answered it. */
export interface AnswerCoverage {
  readonly operation: OperationId
  readonly status: number
  readonly count: number
}

/** Holds the scenarios, and what a run of them saw, against the contract. Rules that only reading can show are left out. */
export function coverageOf(scenarios: readonly Scenario[], results?: ConformanceResults): Coverage {
  return {
    rules: Object.entries(catalogue)
      .filter(([, { test }]) => test !== 'inspection' && test !== 'out-of-scope')
      .map(([id, rule]) => toCoverage(id as RuleId, rule, scenarios)),
    answers: results && answersOf(results),
    codes: results && codesOf(results),
  }
}

/** Whether nothing shows a rule. */
export function isGap({ scenarios }: RuleCoverage): boolean {
  return scenarios.length === 0
}

function toCoverage(id: RuleId, rule: Rule, scenarios: readonly Scenario[]): RuleCoverage {
  const isDifferential = (differentialRules as readonly RuleId[]).includes(id)
  const counted = scenarios.filter(
    ({ rules, isCompared, subjects }) =>
      rules.includes(id) || (isDifferential && isCompared && subjects.includes('proxy')),
  )
  const { origin, level, subjects, test } = rule
  return { id, origin, level, subjects, test, scenarios: counted.map((scenario) => scenario.id) }
}

function answersOf({ observed }: ConformanceResults): AnswerCoverage[] {
  return Object.entries(routes)
    .filter(([, { server }]) => server === 'router')
    .flatMap(([operation, { statuses }]) =>
      statuses.map((status) => ({
        operation: operation as OperationId,
        status,
        count: sum(observed.filter((seen) => seen.operation === operation && seen.status === status)),
      })),
    )
}

function codesOf({ observed }: ConformanceResults): { code: string; count: number }[] {
  return Object.keys(errors).map((code) => ({
    code,
    count: sum(observed.filter((seen) => seen.code === code)),
  }))
}

function sum(seen: readonly { readonly count: number }[]): number {
  return seen.reduce((total, { count }) => total + count, 0)
}
