// @module-tag redis-server

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RuleId } from '#contract/rules'
import { type PrismProxy, startPrismProxy } from '../testing/prism.ts'
import { type Reference, startReference } from '../testing/reference.ts'
import { discover } from './discover.ts'
import { createHooks } from './hooks.ts'
import type { Outcome } from './outcome.ts'
import { runSuite } from './suite.ts'
import { loadTarget, type Target } from './target.ts'
import { judgeProfile } from './verdict.ts'

/** What Prism does as a proxy, the rules that say otherwise, and who shows it. */
const FAULTS: readonly (readonly [string, readonly RuleId[], readonly string[]])[] = [
  ['keeps a stream back until it is whole', ['STRM-05'], ['streams/unbuffered']],
  ['writes evidence anew', ['EVID-02'], ['evidence/written-loosely']],
  ['answers for the router', ['ERR-05'], ['requests/missing-model']],
]

let reference: Reference
let prism: PrismProxy
let target: Target
let outcomes: readonly Outcome[]

beforeAll(async () => {
  reference = await startReference()
  const own = loadTarget(reference.targetFile, process.env)
  prism = await startPrismProxy(new URL(own.baseUrl).origin)
  target = { ...own, baseUrl: prism.baseUrl }
  const wanted = new Set(FAULTS.flatMap(([, , scenarios]) => scenarios))
  const scenarios = (await discover())
    .map(({ scenario }) => scenario)
    .filter(({ id }) => wanted.has(id) || id === 'models/entry-as-openai')
  outcomes = await runSuite({
    ...{ target, scenarios, profiles: ['router'], jobs: 4, isSlow: true, isJudging: true },
    ...{ hooks: createHooks(target.hooks), seed: 1, tellSecret: () => {} },
  })
})

afterAll(async () => {
  await prism.stop()
  await reference.stop()
})

test.each(FAULTS)('Prism as a proxy is convicted: it %s', (_, rules, scenarios) => {
  const { rules: states, verdict } = judgeProfile('router', outcomes, target)
  expect(verdict).toBe('failing')
  for (const id of scenarios)
    expect(outcomes.find(({ scenario }) => scenario.id === id)?.verdict, id).toBe('fail')
  for (const rule of rules) expect(states.find(({ id }) => id === rule)?.state, rule).toBe('broken')
})

test('what it passes on rightly convicts it of nothing: a model is told as it is', () => {
  const { verdict, problems } =
    outcomes.find(({ scenario }) => scenario.id === 'models/entry-as-openai') ?? {}
  expect([verdict, problems]).toEqual(['pass', []])
})
