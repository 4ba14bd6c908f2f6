import type { RuleId } from '#contract/rules'
import type { Outcome } from './outcome.ts'
import { brokenRules } from './rule-states.ts'
import type { ExpectedFailure, Subject } from './target.ts'
import { UNIVERSAL } from './universal/name.ts'

/** How an outcome that the target file announces as a failure has ended; null when not announced, or not run. */
export function expectationOf(
  outcome: Outcome,
  announced: readonly ExpectedFailure[],
): 'failed' | 'passed' | null {
  const { scenario, subject, verdict } = outcome
  const own = announced.filter((one) => one.scenario === scenario.id && (one.subject ?? subject) === subject)
  if (own.length === 0) return null
  if (verdict === 'pass' || verdict === 'warn') return 'passed'
  if (verdict !== 'fail') return null
  // Where a check is named no other one may fail.
  const broken = brokenRules(outcome)
  const isKnown = own.some(({ check }) => check === undefined) || broken.every((rule) => names(own, rule))
  return isKnown ? 'failed' : null
}

/** Whether the target file announces that exchanges break a rule, whatever their scenarios are about. */
export function isUniversalAnnounced(
  rule: string,
  profile: Subject,
  announced: readonly ExpectedFailure[],
): boolean {
  return announced.some(
    ({ scenario, check, subject = profile }) =>
      scenario === UNIVERSAL && check === rule && subject === profile,
  )
}

function names(announced: readonly ExpectedFailure[], rule: RuleId): boolean {
  return announced.some(({ check }) => check === rule)
}
