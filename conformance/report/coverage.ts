import { errors } from '#contract/errors'
import type { ConformanceResults } from '#contract/models'
import { reasons } from '#contract/reasons'
import { type OperationId, routes } from '#contract/routes'
import type { RuleId } from '#contract/rules'
import { catalogue, differentialRules, type Rule } from '../engine/rules.ts'
import { isComparable, type Scenario } from '../engine/scenario.ts'
import type { VectorIndex } from './vectors.ts'

/** What the suite shows and what it does not. */
export interface Coverage {
  readonly rules: readonly RuleCoverage[]
  /** Undefined without the results of a run. */
  readonly answers: readonly AnswerCoverage[] | undefined
  readonly codes: readonly CodeCoverage[] | undefined
  readonly reasons: readonly ReasonCoverage[]
}

/** One rule that an exchange or a vector can show, and what counts for it. */
export interface RuleCoverage extends Pick<Rule, 'origin' | 'level' | 'subjects' | 'test'> {
  readonly id: RuleId
  /** Ids of scenarios, and of vectors with `vectors/` before them. */
  readonly scenarios: readonly string[]
}

/** One status that an operation declares, and how often a passing scenario was answered it. */
export interface AnswerCoverage {
  readonly operation: OperationId
  readonly status: number
  readonly count: number
}

/** One code of the catalogue, and how often a passing scenario was answered it. */
export interface CodeCoverage {
  readonly code: string
  readonly count: number
}

/** One reason to refuse, and how often vectors and passing scenarios provoked it. */
export interface ReasonCoverage {
  /** Stage and reason. */
  readonly ground: string
  readonly count: number
  /** The test that provokes it where neither can. */
  readonly elsewhere: string | undefined
}

/** What coverage is counted from. */
export interface Evidence {
  readonly scenarios: readonly Scenario[]
  readonly vectors: VectorIndex
  readonly results?: ConformanceResults | undefined
}

/** Holds the suite, and what a run of it saw, against the contract. Rules that only reading can show are left out. */
export function coverageOf({ scenarios, vectors, results }: Evidence): Coverage {
  return {
    rules: Object.entries(catalogue)
      .filter(([, { test }]) => test !== 'inspection' && test !== 'out-of-scope')
      .map(([id, rule]) => toCoverage(id as RuleId, rule, { scenarios, vectors })),
    answers: results && answersOf(results),
    codes: results && codesOf(results),
    reasons: reasonsOf(vectors, results),
  }
}

/** Whether nothing shows a rule. */
export function isGap({ scenarios }: RuleCoverage): boolean {
  return scenarios.length === 0
}

function toCoverage(id: RuleId, rule: Rule, { scenarios, vectors: { vectors } }: Evidence): RuleCoverage {
  const isDifferential = (differentialRules as readonly RuleId[]).includes(id)
  const counted = scenarios.filter(
    (scenario) => scenario.rules.includes(id) || (isDifferential && isComparable(scenario)),
  )
  const asked = vectors.filter(({ rules }) => rules.includes(id))
  const { origin, level, subjects, test } = rule
  const ids = [...counted.map((scenario) => scenario.id), ...asked.map((vector) => `vectors/${vector.id}`)]
  return { id, origin, level, subjects, test, scenarios: ids }
}

/** What a proxy answers by itself shows nothing of the router's operations. */
function answersOf({ observed }: ConformanceResults): AnswerCoverage[] {
  return Object.entries(routes).flatMap(([operation, { server, statuses }]) =>
    statuses.map((status) => ({
      operation: operation as OperationId,
      status,
      count: sum(
        observed.filter(
          (seen) => seen.operation === operation && seen.status === status && seen.subject === server,
        ),
      ),
    })),
  )
}

function codesOf({ observed }: ConformanceResults): CodeCoverage[] {
  return Object.keys(errors).map((code) => ({
    code,
    count: sum(observed.filter((seen) => seen.code === code)),
  }))
}

function reasonsOf({ vectors, elsewhere }: VectorIndex, results?: ConformanceResults): ReasonCoverage[] {
  const observed = results?.observed ?? []
  return Object.entries(reasons).flatMap(([stage, entries]) =>
    Object.keys(entries).map((reason) => {
      const ground = `${stage}/${reason}`
      // The router says the same of an upstream.
      const seen = observed.filter((answer) => [ground, `upstream-${ground}`].includes(answer.ground ?? ''))
      const asked = vectors.filter(({ expected }) => expected.stage === stage && expected.reason === reason)
      return { ground, count: asked.length + sum(seen), elsewhere: elsewhere[ground] }
    }),
  )
}

function sum(seen: readonly { readonly count: number }[]): number {
  return seen.reduce((total, { count }) => total + count, 0)
}
