import { shorten, visible } from '#base/foreign-text.ts'
import type { Selftest, Tried } from './selftest.ts'

/** A line for a fault that was tried, and what is wrong with it where something is. */
export function describeTried({ fault, trial, ...judged }: Tried, place: number, total: number): string {
  const seconds = (trial.durationMs / 1_000).toFixed(1)
  const verdict = judged.isKilled ? 'killed  ' : 'SURVIVED'
  const head = `${place}/${total} ${verdict} ${fault.id} (${fault.violates.join(', ')}) in ${seconds} s\n`
  const { missed, passed } = judged
  if (judged.isKilled) return head
  const wrong = [
    ...missed.map((rule) => `no check found ${rule} broken`),
    ...passed.map((id) => `${id} passed`),
    ...[...trial.problems].map(([id, problem]) => `${id}: ${shorten(problem.split('\n')[0] ?? '')}`),
    ...trial.errors.map((error) => `the suite itself: ${shorten(error.split('\n')[0] ?? '')}`),
  ]
  return `${head}${wrong.map((line) => `      | ${visible(line)}\n`).join('')}`
}

/** What was found, for people. */
export function summarize(
  { atRest, tried, undemonstrated, overexcused, durationMs }: Selftest,
  isFull: boolean,
): string {
  const survived = tried.filter(({ isKilled }) => !isKilled)
  const rules = new Set(tried.filter(({ isKilled }) => isKilled).flatMap(({ fault }) => fault.violates))
  const beyond = isFull ? tried.filter((one) => one.beyond.length > 0) : []
  const lines = [
    `${tried.length - survived.length} of ${tried.length} faults were killed, by checks of ${rules.size} rules, in ${Math.round(durationMs / 1_000)} s.`,
    ...survived.map(({ fault }) => `survived: ${fault.id}, ${fault.file}`),
    ...atRest.map((line) => `fails with no fault live: ${shorten(line)}`),
    ...undemonstrated.map(
      (rule) => `no fault breaks the given rule ${rule}: add one, or a reason to without.ts`,
    ),
    ...overexcused.map((rule) => `${rule} stands in without.ts, and need not`),
    ...beyond.map(({ fault, beyond }) => `${fault.id} is also told by ${shorten(beyond.join(', '))}`),
  ]
  return `\n${lines.map(visible).join('\n')}\n`
}

/** The same for programs. */
export function documentOf({ atRest, tried, undemonstrated, overexcused, durationMs }: Selftest): object {
  return {
    at_rest: atRest,
    without_fault: undemonstrated,
    overexcused,
    duration_ms: durationMs,
    faults: tried.map(({ fault, trial, isKilled, missed, passed, beyond }) => ({
      id: fault.id,
      file: fault.file,
      verdict: isKilled ? 'killed' : 'survived',
      violates: fault.violates,
      expected: fault.expectKilledBy,
      broken: [...trial.broken],
      missed,
      passed,
      beyond,
      errors: trial.errors,
      duration_ms: trial.durationMs,
    })),
  }
}
