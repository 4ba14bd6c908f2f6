import { shorten, visible } from '#base/foreign-text.ts'
import { isExact, type Selftest, type Tried } from './selftest.ts'

/** A line for a fault that was tried, and what is wrong with it where something is. */
export function describeTried({ fault, trial, ...judged }: Tried, place: number, total: number): string {
  const seconds = (trial.durationMs / 1_000).toFixed(1)
  const verdict = judged.isKilled ? (isExact(judged) ? 'killed  ' : 'INEXACT ') : 'SURVIVED'
  const head = `${place}/${total} ${verdict} ${fault.id} (${fault.violates.join(', ')}) in ${seconds} s\n`
  const { missed, passed } = judged
  const inexact = inexactness({ trial, ...judged })
  if (judged.isKilled) return told(head, inexact)
  return told(head, [
    ...inexact,
    ...missed.map((rule) => `no check found ${rule} broken`),
    ...passed.map((id) => `${id} passed`),
    ...[...trial.problems].map(([id, problem]) => `${id}: ${shorten(problem.split('\n')[0] ?? '')}`),
    ...trial.errors.map((error) => `the suite itself: ${shorten(error.split('\n')[0] ?? '')}`),
  ])
}

function told(head: string, wrong: readonly string[]): string {
  return `${head}${wrong.map((line) => `      | ${visible(line)}\n`).join('')}`
}

/** What keeps a kill from being exact, a line each. */
function inexactness({ trial, beyond, unbroken }: Omit<Tried, 'fault'>): readonly string[] {
  return [
    ...beyond.map((rule) => {
      const { scenarios, problem } = trial.broken.get(rule) ?? { scenarios: [], problem: '' }
      return `it also breaks ${rule} in ${shorten(scenarios.join(', '))}: ${shorten(problem.split('\n')[0] ?? '')}`
    }),
    ...unbroken.map((rule) => `no check found ${rule} broken, which it says to break besides`),
  ]
}

/** What was found, for people. */
export function summarize({ atRest, tried, undemonstrated, overexcused, durationMs }: Selftest): string {
  const survived = tried.filter(({ isKilled }) => !isKilled)
  const rules = new Set(tried.filter(({ isKilled }) => isKilled).flatMap(({ fault }) => fault.violates))
  const inexact = tried.filter((one) => !isExact(one))
  const lines = [
    `${tried.length - survived.length} of ${tried.length} faults were killed, by checks of ${rules.size} rules, in ${Math.round(durationMs / 1_000)} s.`,
    ...survived.map(({ fault }) => `survived: ${fault.id}, ${fault.file}`),
    ...atRest.map((line) => `fails with no fault live: ${shorten(line)}`),
    ...undemonstrated.map(
      (rule) => `no fault breaks the given rule ${rule}: add one, or a reason to without.ts`,
    ),
    ...overexcused.map((rule) => `${rule} stands in without.ts, and need not`),
    ...inexact.map(
      ({ fault, beyond, unbroken }) =>
        `not exact: ${fault.id} also breaks ${list(beyond)}, and of what it says to break besides not ${list(unbroken)}`,
    ),
  ]
  return `\n${lines.map(visible).join('\n')}\n`
}

function list(rules: readonly string[]): string {
  return rules.length === 0 ? 'nothing' : rules.join(', ')
}

/** The same for programs. */
export function documentOf({ atRest, tried, undemonstrated, overexcused, durationMs }: Selftest): object {
  return {
    at_rest: atRest,
    without_fault: undemonstrated,
    overexcused,
    duration_ms: durationMs,
    faults: tried.map(({ fault, trial, isKilled, missed, passed, beyond, unbroken }) => ({
      id: fault.id,
      file: fault.file,
      verdict: isKilled ? 'killed' : 'survived',
      violates: fault.violates,
      expected: fault.expectKilledBy,
      broken: Object.fromEntries(trial.broken),
      missed,
      passed,
      beyond,
      unbroken,
      errors: trial.errors,
      duration_ms: trial.durationMs,
    })),
  }
}
