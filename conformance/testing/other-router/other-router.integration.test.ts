import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProfileResult } from '#contract/models'
import { discover } from '../../engine/discover.ts'
import { createHooks } from '../../engine/hooks.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { brokenRules } from '../../engine/rule-states.ts'
import { originOf } from '../../engine/rules.ts'
import type { Scenario } from '../../engine/scenario.ts'
import { runSuite } from '../../engine/suite.ts'
import { loadTarget } from '../../engine/target.ts'
import { judgeProfile } from '../../engine/verdict.ts'
import { decisions } from './decisions.ts'
import { type OtherRouter, startOtherRouter } from './start.ts'

let other: OtherRouter
let outcomes: readonly Outcome[]
let judged: ProfileResult

beforeAll(async () => {
  other = await startOtherRouter()
  const target = loadTarget(other.targetFile, process.env)
  const scenarios = (await discover()).map(({ scenario }) => scenario)
  const run = (some: readonly Scenario[], jobs: number) =>
    runSuite({
      ...{ target, scenarios: some, profiles: ['router'], jobs, isSlow: false },
      ...{ hooks: createHooks(target.hooks), seed: jobs, tellSecret: () => {}, isJudging: true },
    })
  const first = await run(scenarios, 8)
  // A busy machine may be late; who is convicted wrongly is so again, alone.
  const again = await run(
    first.filter(isUnlisted).map(({ scenario }) => scenario),
    1,
  )
  outcomes = first.map((one) => again.find(({ scenario }) => scenario === one.scenario) ?? one)
  judged = judgeProfile('router', outcomes, target)
}, 900_000)

afterAll(() => other.stop())

test('without embeddings it is as conformant: what shows them counts nowhere, and is not missed', async () => {
  const target = loadTarget(other.targetFile, process.env)
  const { embeddings: _, ...models } = target.models
  const less = {
    ...target,
    models,
    features: new Set([...target.features].filter((feature) => feature !== 'embeddings')),
  }
  const scenarios = (await discover()).map(({ scenario }) => scenario)
  const told = await runSuite({
    ...{ target: less, scenarios: scenarios.filter(isAboutEmbeddings), profiles: ['router'], jobs: 8 },
    ...{ hooks: createHooks(less.hooks), seed: 8, tellSecret: () => {}, isJudging: true, isSlow: false },
  })
  expect(told.map(({ verdict }) => verdict)).toContain('not-supported')
  expect(told.filter(({ problems }) => problems.some((one) => one.includes('model embeddings')))).toEqual([])
  const { verdict, without, given } = judgeProfile('router', told, less)
  expect([verdict, without, given.rules_broken, given.rules_untold]).toEqual([
    'conformant',
    ['embeddings'],
    [],
    [],
  ])
})

/** What shows embeddings, and a few that have nothing to do with them. */
function isAboutEmbeddings({ id, needs, rules }: Scenario): boolean {
  if (originOf(rules) === 'chosen') return false
  return /^(embeddings|chat|models)\//.test(id) || needs.includes('model:embeddings')
}

const listed = new Set(decisions.flatMap(({ rules }) => rules))

/** Whether something was found that no decision explains. */
function isUnlisted(outcome: Outcome): boolean {
  if (outcome.verdict !== 'fail') return false
  const broken = brokenRules(outcome)
  return broken.length === 0 || broken.some((rule) => !listed.has(rule))
}

/** Scenarios that end so, with what was found. */
function ended(verdict: Outcome['verdict'], origin: 'given' | 'chosen') {
  return outcomes
    .filter((one) => one.verdict === verdict && originOf(one.scenario.rules) === origin)
    .map(({ scenario, problems }) => [scenario.id, ...problems])
}

test('a router that decides every open point otherwise breaks no given rule', () => {
  const broken = judged.rules.filter(({ state, origin }) => state === 'broken' && origin === 'given')
  expect(broken.map(({ id, broken_by }) => [id, broken_by])).toEqual([])
  for (const verdict of ['fail', 'error', 'not-testable', 'disabled'] as const)
    expect(ended(verdict, 'given')).toEqual([])
  expect(judged.given.rules_kept).toBeGreaterThan(170)
})

test('of given rules nothing is left out but what external upstreams would show', () => {
  const missing = ended('not-supported', 'given').map(([, ...problems]) => problems.join())
  expect(new Set(missing)).toEqual(new Set(['the product does not claim the feature upstreams']))
})

test('the chosen rules that it breaks are those of its decisions, all of them and no others', () => {
  const broken = judged.rules.filter(({ state, origin }) => state === 'broken' && origin === 'chosen')
  const why = JSON.stringify(broken.map(({ id, broken_by }) => [id, broken_by[0]]))
  expect(broken.map(({ id }) => id).toSorted(), why).toEqual([...listed].toSorted())
})

test('what no rule tells of is seen on the wire', () => {
  const exchanges = outcomes.flatMap((one) => one.exchanges)
  const unseen = decisions.filter(({ seen }) => seen && !exchanges.some(seen))
  expect(unseen.map(({ point }) => point)).toEqual([])
})
