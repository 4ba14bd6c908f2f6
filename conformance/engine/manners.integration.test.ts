// @module-tag redis-server

import { afterAll, beforeAll, expect, test } from 'vitest'
import { manners } from '../testing/manners.ts'
import { type Reference, startReference } from '../testing/reference.ts'
import { estrange } from '../testing/strange.ts'
import { discover } from './discover.ts'
import { createHooks } from './hooks.ts'
import type { Scenario } from './scenario.ts'
import { runSuite } from './suite.ts'
import { loadTarget, type Target } from './target.ts'
import { judgeProfile } from './verdict.ts'

let reference: Reference
let target: Target

beforeAll(async () => {
  reference = await startReference()
  target = loadTarget(reference.targetFile, process.env)
})

afterAll(() => reference.stop())

/** What waits longer by design is left out. */
const MOST_MS = 2_000

/** What is no HTTP, or HTTP of two meanings, is refused by whoever reads it first: here that is the relay, and so is what is sent ahead. */
const OF_THE_RELAY = [
  'requests/ambiguous-http',
  'requests/behind-a-closing-answer',
  'requests/behind-an-upgrade',
  'requests/malformed-http',
]

const found = (await discover()).map(({ scenario }) => scenario)

test.each(Object.entries(manners))('a product with %s is as conformant', async (name, manner) => {
  const scenarios = found.filter(
    ({ id, subjects, isExclusive, waitsMs }) =>
      !OF_THE_RELAY.includes(id) &&
      subjects.includes('router') &&
      !isExclusive &&
      waitsMs(target.limits) < MOST_MS,
  )
  // What earlier runs have left in the backend.
  await fetch(`${target.hooks.backendScript?.url}/script`, { method: 'DELETE' })
  const strange = await estrange(new URL(target.baseUrl).origin, manner)
  const judged = { ...target, baseUrl: strange.baseUrl }
  const run = (some: readonly Scenario[], jobs: number) =>
    runSuite({
      target: judged,
      hooks: createHooks(target.hooks),
      seed: 1_000 * jobs + Object.keys(manners).indexOf(name),
      tellSecret: () => {},
      isJudging: true,
      scenarios: some,
      profiles: ['router'],
      jobs,
      isSlow: false,
    })
  const first = await run(scenarios, 8)
  // A busy machine may be late; who is convicted wrongly is so again, alone.
  const doubted = first.filter(({ verdict }) => verdict !== 'pass').map(({ scenario }) => scenario)
  const again = await run(doubted, 1).finally(strange.stop)
  const outcomes = first.map((one) => again.find(({ scenario }) => scenario === one.scenario) ?? one)
  const { rules, verdict } = judgeProfile('router', outcomes, judged)
  const others = outcomes.filter((one) => one.verdict !== 'pass')
  expect(others.map((one) => [one.scenario.id, one.verdict, ...one.problems])).toEqual([])
  expect(rules.filter(({ state }) => state === 'broken')).toEqual([])
  expect(verdict).not.toBe('failing')
  expect(outcomes.length).toBeGreaterThan(200)
})
