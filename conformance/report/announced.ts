import { visible } from '#base/foreign-text.ts'
import type { AnnouncedFailure, AnnouncedOutcome, ConformanceResults, ProfileResult } from '#contract/models'
import { expectationOf } from '../engine/announced.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { ExpectedFailure, Target } from '../engine/target.ts'
import { UNIVERSAL } from '../engine/universal/name.ts'

type RuleResult = ProfileResult['rules'][number]

/** What became of each failure that a target file announces, in its order; those whose last day is over at the end. */
export function announcedIn(
  { expectedFailures, overdue }: Pick<Target, 'expectedFailures' | 'overdue'>,
  outcomes: readonly Outcome[],
  profiles: readonly ProfileResult[],
): AnnouncedFailure[] {
  const became = (one: ExpectedFailure): AnnouncedOutcome =>
    one.scenario === UNIVERSAL ? ofUniversal(one, profiles) : ofScenario(one, outcomes, expectedFailures)
  return [
    ...expectedFailures.map((one) => ({ ...one, outcome: became(one) })),
    ...overdue.map((one) => ({ ...one, outcome: 'over' as const })),
  ]
}

function ofUniversal(
  { check, subject }: ExpectedFailure,
  profiles: readonly ProfileResult[],
): AnnouncedOutcome {
  const judged = profiles.filter(({ profile }) => profile === (subject ?? profile))
  const isBroken = judged
    .flatMap(({ rules }) => rules)
    .some(({ id, broken_by: by }) => id === check && by.some(({ scenario }) => scenario === UNIVERSAL))
  return judged.length === 0 ? 'not-run' : isBroken ? 'failed' : 'passed'
}

function ofScenario(
  { scenario: id, subject }: ExpectedFailure,
  outcomes: readonly Outcome[],
  announced: readonly ExpectedFailure[],
): AnnouncedOutcome {
  const own = outcomes.filter((one) => one.scenario.id === id && one.subject === (subject ?? one.subject))
  const ends = own.map((one) => expectationOf(one, announced))
  if (ends.includes('passed')) return 'passed'
  if (own.some((one, index) => one.verdict === 'fail' && ends[index] === null)) return 'otherwise'
  return ends.includes('failed') ? 'failed' : 'not-run'
}

/** Whether every check that breaks a rule was announced. */
export function isExcused({ state, broken_by: by }: Pick<RuleResult, 'state' | 'broken_by'>): boolean {
  return state === 'broken' && by.every(({ announced }) => announced)
}

/** The head of what `announcedLines` gives. */
export const ANNOUNCED = 'Announced failures'

/** A line for each announced failure: what became of it, why it was announced, and what to do where something is. */
export function announcedLines({ announced = [] }: Pick<ConformanceResults, 'announced'>): readonly string[] {
  return announced.map((one) => visible(`${nameOf(one)} ${SAID[one.outcome](one)} Reason: ${one.reason}`))
}

const SAID: Readonly<Record<AnnouncedOutcome, (one: AnnouncedFailure) => string>> = {
  failed: ({ until }) => `fails as announced${until === undefined ? '' : `, until ${until}`}.`,
  passed: ({ scenario }) =>
    scenario === UNIVERSAL
      ? 'was announced, and no exchange broke it: take its line out of expectedFailures.'
      : 'was announced to fail, and passes, which fails the run: take its line out of expectedFailures.',
  otherwise: () => 'fails otherwise than announced, and counts: mend it, or announce that check, too.',
  'not-run': () => 'was announced and did not run: nothing is known of it.',
  over: ({ until }) =>
    `was announced until ${until}, which is over, and counts like any other: mend it, or give its line another day.`,
}

function nameOf({ scenario, check, subject }: AnnouncedFailure): string {
  const where = subject === undefined ? '' : ` (${subject})`
  return `${scenario}${check === undefined ? '' : `, ${check}`}${where}`
}

/** Why the failure of a scenario, or of a rule in every exchange, was announced; undefined where it was not. */
export function reasonFor(
  { announced = [] }: Pick<ConformanceResults, 'announced'>,
  scenario: string,
  check?: string,
): string | undefined {
  return announced.find(
    (one) =>
      one.scenario === scenario && (scenario !== UNIVERSAL || one.check === check) && one.outcome !== 'over',
  )?.reason
}
