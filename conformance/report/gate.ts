import { type AnswerCoverage, type Coverage, isGap, type RuleCoverage } from './coverage.ts'
import { type Unbuilt, unbuilt } from './unbuilt.ts'
import { unprovoked } from './unprovoked.ts'

/** What the gate found. */
export interface Gate {
  /** What must be shown and is not, a line each; the build fails for one of them. */
  readonly failures: readonly string[]
  /** What must be shown once its part is built. */
  readonly waiting: readonly { readonly feature: string; readonly gaps: readonly string[] }[]
}

interface Missing {
  readonly text: string
  readonly isOf: (part: Unbuilt) => boolean
}

/** Holds coverage against what must be shown (README.md); statuses and codes only with the results of a run. */
export function gateOf(coverage: Coverage, parts: readonly Unbuilt[] = unbuilt): Gate {
  const { rules, answers = [], codes = [], reasons } = coverage
  const missing: readonly Missing[] = [
    ...rules.filter(mustBeShown).map(
      ({ id }): Missing => ({
        text: `the rule ${id} has no counted scenario`,
        isOf: ({ owns }) => owns.rule(id),
      }),
    ),
    ...answers
      .filter((answer) => isUnseen(answer) && !isExcused(answer))
      .map(
        ({ operation, status }): Missing => ({
          text: `${operation} was never answered ${status}`,
          isOf: ({ owns }) => owns.answer(operation, status),
        }),
      ),
    ...codes
      .filter((code) => isUnseen(code) && !Object.hasOwn(unprovoked, code.code))
      .map(
        ({ code }): Missing => ({
          text: `the code ${code} was never provoked`,
          isOf: ({ owns }) => owns.code(code),
        }),
      ),
    ...reasons
      .filter((reason) => isUnseen(reason) && reason.elsewhere === undefined)
      .map(({ ground }): Missing => ({ text: `the reason ${ground} was never provoked`, isOf: () => false })),
  ]
  const belongs = (part: Unbuilt) => missing.filter(({ isOf }) => isOf(part)).map(({ text }) => text)
  return {
    failures: missing.filter(({ isOf }) => !parts.some(isOf)).map(({ text }) => text),
    waiting: parts.map((part) => ({ feature: part.feature, gaps: belongs(part) })),
  }
}

/** Whether a rule that nothing shows fails the gate: a given one that binds the router or the proxy. */
function mustBeShown(rule: RuleCoverage): boolean {
  const { origin, subjects } = rule
  return isGap(rule) && origin === 'given' && subjects.some((one) => one === 'router' || one === 'proxy')
}

function isExcused({ operation, status }: AnswerCoverage): boolean {
  return Object.hasOwn(unprovoked, `${operation} ${status}`)
}

function isUnseen({ count }: { readonly count: number }): boolean {
  return count === 0
}
