// @module-tag redis-server

import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { discover } from './engine/discover.ts'
import { createHooks } from './engine/hooks.ts'
import { runSuite } from './engine/suite.ts'
import { loadTarget } from './engine/target.ts'
import { judgeProfile } from './engine/verdict.ts'
import { startReference } from './testing/reference.ts'

/** Two seeds, each of them more than once. */
const SEEDS = [1, 2, 1, 2, 1]

let load: readonly ChildProcess[] = []

beforeAll(() => {
  load = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', 'for (;;);']))
})

afterAll(() => {
  for (const busy of load) busy.kill('SIGKILL')
})

/** What was found in a run: of each scenario at each subject, and of each rule. */
async function judge(seed: number, order: number): Promise<Readonly<Record<string, string>>> {
  const reference = await startReference()
  const target = loadTarget(reference.targetFile, process.env)
  const scenarios = (await discover()).map(({ scenario }) => scenario)
  const outcomes = await runSuite({
    ...{ target, scenarios, profiles: target.profiles, jobs: 8, isSlow: true, isJudging: true },
    ...{ hooks: createHooks(target.hooks), tellSecret: () => {}, seed, order },
  }).finally(reference.stop)
  const told = outcomes.map(({ scenario, subject, verdict, problems }) => [
    `${scenario.id} at the ${subject}`,
    [verdict, ...problems].join(': '),
  ])
  const rules = target.profiles.flatMap((profile) =>
    judgeProfile(profile, outcomes, target).rules.map(({ id, state }) => [`${id} of the ${profile}`, state]),
  )
  const others = told.filter(([, verdict]) => verdict !== 'pass')
  console.log(
    `seed ${seed}, order ${order}, ${outcomes.length} runs, did not pass: ${JSON.stringify(others)}`,
  )
  return Object.fromEntries([...told, ...rules]) as Record<string, string>
}

test('five runs of the reference, from two seeds, in shuffled orders and beside a busy machine, say the same', async () => {
  const runs: Readonly<Record<string, string>>[] = []
  for (const [order, seed] of SEEDS.entries()) runs.push(await judge(seed, order))
  const [first = {}, ...others] = runs
  expect(Object.keys(first).length).toBeGreaterThan(1_000)
  for (const other of others) expect(other).toEqual(first)
}, 14_400_000)
