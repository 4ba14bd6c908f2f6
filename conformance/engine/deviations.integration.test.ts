// @module-tag redis-server

import { afterAll, beforeAll, expect, test } from 'vitest'
import { deviateFrom } from '../testing/deviating.ts'
import { deviations } from '../testing/deviations.ts'
import { type Reference, startReference } from '../testing/reference.ts'
import { discover } from './discover.ts'
import { createHooks } from './hooks.ts'
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

/** What is near to the deviations; all of it would take an hour. */
const TOPICS = [
  'authentication',
  'chat',
  'completions',
  'endpoints',
  'errors',
  'generations',
  'headers',
  'keys',
  'metering',
  'models',
  'streams',
]

/** What waits longer by design is left out. */
const MOST_MS = 1_000

/** That a client has left is the relay’s to pass on here, which on a busy machine takes its time. */
const LEAVING = ['generations/backend-let-go']

const found = (await discover()).map(({ scenario }) => scenario)

test.each(Object.entries(deviations))(
  'a product with %s breaks just the rules that say so',
  async (_, one) => {
    // What earlier runs have left in the backend.
    await fetch(`${target.hooks.backendScript?.url}/script`, { method: 'DELETE' })
    const relay = await deviateFrom(new URL(target.baseUrl).origin, one.deviation)
    const judged = { ...target, baseUrl: `${relay.origin}/v1` }
    const scenarios = found.filter(
      ({ id, subjects, isExclusive, waitsMs }) =>
        subjects.includes('router') &&
        TOPICS.includes(id.split('/')[0] ?? '') &&
        !isExclusive &&
        !LEAVING.includes(id) &&
        waitsMs(target.limits) < MOST_MS,
    )
    const outcomes = await runSuite({
      target: judged,
      hooks: createHooks(target.hooks),
      seed: 1 + Object.values(deviations).indexOf(one),
      tellSecret: () => {},
      isJudging: true,
      scenarios,
      profiles: ['router'],
      jobs: 8,
      isSlow: false,
    }).finally(relay.stop)
    const { rules, verdict } = judgeProfile('router', outcomes, judged)
    expect(outcomes.filter(({ verdict }) => verdict === 'error').map(({ problems }) => problems)).toEqual([])
    const broken = rules.filter(({ state }) => state === 'broken')
    const why = JSON.stringify(broken.map(({ id, broken_by }) => [id, broken_by]))
    expect(broken.map(({ id }) => id).toSorted(), why).toEqual([...one.breaks].toSorted())
    expect(verdict).toBe(one.breaks.length === 0 ? 'conformant' : 'failing')
  },
)
