import type { ProfileResult, RuleBreak, ScenarioResult } from '#contract/models'
import type { Origin } from '../engine/rules.ts'
import { UNIVERSAL } from '../engine/universal/name.ts'
import { isExcused } from './announced.ts'
import { answerOf, isFalseSuccess } from './answer.ts'
import { isOpenAis } from './openai-part.ts'

type RuleResult = ProfileResult['rules'][number]

/** One thing that was found, and all the rules that it breaks. */
export interface Cause extends Pick<RuleBreak, 'scenario' | 'problem' | 'count'> {
  readonly rules: readonly RuleResult[]
  /** Other scenarios that found the same. */
  readonly others: number
  /** What they were all answered; undefined where the problem tells it, or there is but one. */
  readonly answer: string | undefined
  /** Whether the target file announces all of it. */
  readonly isAnnounced: boolean
}

/** What was found, by whether it decides: of rules that are claimed, and of the others. */
export function causesApart(
  { profile, rules }: Pick<ProfileResult, 'profile' | 'rules'>,
  claims: readonly Origin[],
  scenarios: readonly ScenarioResult[],
): { readonly claimed: readonly Cause[]; readonly unclaimed: readonly Cause[] } {
  const isClaimed = ({ origin }: RuleResult) => claims.includes(origin)
  const own = scenarios.filter(({ subject }) => subject === profile)
  return {
    claimed: causesOf(rules.filter(isClaimed), own),
    unclaimed: causesOf(
      rules.filter((rule) => !isClaimed(rule)),
      own,
    ),
  }
}

/** A check that broke a rule, by what makes it the same as others. */
interface Found extends RuleBreak {
  readonly rule: RuleResult
  readonly key: string
  readonly answer: string | undefined
}

/**
 * Broken rules by what broke them: an answer that several checks stumbled over is one cause of all of them. Each rule stands
 * at the cause that breaks most. Those come first that a client of OpenAI's meets first; what was announced comes last.
 */
export function causesOf(
  rules: readonly RuleResult[],
  scenarios: readonly ScenarioResult[] = [],
): readonly Cause[] {
  const byId = new Map(scenarios.map((one) => [one.id, one]))
  const broken = rules.filter(({ state }) => state === 'broken')
  const found = broken.flatMap((rule) =>
    gravestOf(rule.broken_by.map((one) => describe(rule, one, byId.get(one.scenario)))),
  )
  const causes: Cause[] = []
  for (let left = found; left.length > 0; ) {
    const own = largest(left)
    const taken = new Set(own.map(({ rule }) => rule))
    causes.push(causeOf(own))
    left = left.filter(({ rule }) => !taken.has(rule))
  }
  return causes.toSorted(
    (one, other) => Number(one.isAnnounced) - Number(other.isAnnounced) || compareByCost(one, other),
  )
}

/** A rule stands at the failure that was told as a success, where there is one: nobody learns of that otherwise. */
function gravestOf(found: readonly Found[]): readonly Found[] {
  const grave = found.filter(({ answer }) => isFalseSuccess(answer))
  return grave.length > 0 ? grave : found
}

/** Which of two costs more whoever comes with a client of OpenAI's, and then everybody else. */
function compareByCost(one: Cause, other: Cause): number {
  const [first, second] = [costsOf(one), costsOf(other)]
  const place = first.findIndex((cost, index) => cost !== second[index])
  return place === -1 ? 0 : second[place]! - first[place]!
}

/** What a cause costs, the gravest first. */
function costsOf({ rules, answer, count }: Cause): readonly number[] {
  const openAis = rules.filter(isOpenAis)
  const isEverywhere = openAis.some(({ broken_by: by }) =>
    by.some((one) => one.scenario === UNIVERSAL && one.count > 1),
  )
  const givens = rules.filter(({ origin }) => origin === 'given').length
  return [Number(isEverywhere), openAis.length, Number(isFalseSuccess(answer)), givens, rules.length, count]
}

/** What breaks most rules; of several the first that was found. */
function largest(found: readonly Found[]): readonly Found[] {
  const sizeOf = (own: readonly Found[]) => new Set(own.map(({ rule }) => rule)).size
  return [...Map.groupBy(found, ({ key }) => key).values()].reduce((most, own) =>
    sizeOf(own) > sizeOf(most) ? own : most,
  )
}

function causeOf(own: readonly Found[]): Cause {
  const [{ scenario = '', problem = '', count = 0, answer = undefined } = {}] = own
  const rules = [...new Set(own.map(({ rule }) => rule))]
  const others = new Set(own.map((one) => one.scenario)).size - 1
  return {
    ...{ scenario, problem, count, rules, others },
    answer: others > 0 || isFalseSuccess(answer) ? answer : undefined,
    isAnnounced: rules.every(isExcused),
  }
}

function describe(rule: RuleResult, one: RuleBreak, scenario: ScenarioResult | undefined): Found {
  // What every exchange is held to is no one thing: there the problem tells causes apart.
  const answer = one.scenario === UNIVERSAL ? undefined : answerOf(one, scenario)
  const problem = one.problem.split('\n')[0] ?? ''
  return { ...one, rule, answer, key: answer ?? problem }
}

/** What the number of a break counts: each answer, and each event of a stream. */
export const ANSWERS = 'answers or events of streams'

/** Who says so: a check with its number, and how many others. */
export function nameOf({
  scenario,
  count,
  others,
  isAnnounced = false,
}: Pick<Cause, 'scenario' | 'count' | 'others'> & Partial<Pick<Cause, 'isAnnounced'>>): string {
  const times = count > 1 ? `, in ${count} ${ANSWERS}` : ''
  return `${scenario}${times}${others > 0 ? `, and ${others} more` : ''}${isAnnounced ? ', as announced' : ''}`
}

/** What was found, on one line: what all of them were answered, before what the first says; the others may say more. */
export function problemOf({ answer, problem, count }: Pick<Cause, 'answer' | 'problem' | 'count'>): string {
  const first = problem.split('\n')[0] ?? ''
  if (answer !== undefined) return `${answer}; first: ${first}`
  return count > 1 ? `first: ${first}` : first
}
