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

/** Keeps a core busy, and ends with whoever started it, whatever becomes of him. */
const BUSY = `
  const work = () => {
    for (const untilMs = Date.now() + 50; Date.now() < untilMs; );
    setImmediate(work)
  }
  process.stdin.on('close', () => process.exit()).resume()
  work()`

let load: readonly ChildProcess[] = []

beforeAll(() => {
  const stdio = ['pipe', 'ignore', 'ignore'] as const
  load = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', BUSY], { stdio: [...stdio] }),
  )
})

afterAll(() => {
  for (const busy of load) busy.kill('SIGKILL')
})

/** What was found in a run. */
interface Judged {
  /** The verdict on each scenario at each subject, and the state of each rule. */
  readonly verdicts: Readonly<Record<string, string>>
  /** What did not pass, and why. */
  readonly others: readonly string[]
}

async function judge(seed: number, order: number): Promise<Judged> {
  const reference = await startReference()
  const target = loadTarget(reference.targetFile, process.env)
  const scenarios = (await discover()).map(({ scenario }) => scenario)
  const outcomes = await runSuite({
    ...{ target, scenarios, profiles: target.profiles, jobs: 8, isSlow: true, isJudging: true },
    ...{ hooks: createHooks(target.hooks), tellSecret: () => {}, seed, order },
  }).finally(reference.stop)
  const told = outcomes.map(({ scenario, subject, verdict }) => [`${scenario.id} at the ${subject}`, verdict])
  const profiles = target.profiles.map((profile) => judgeProfile(profile, outcomes, target))
  const rules = profiles.flatMap(({ profile, rules }) =>
    rules.map(({ id, state }) => [`${id} of the ${profile}`, state]),
  )
  const others = [
    ...outcomes
      .filter(({ verdict }) => verdict !== 'pass')
      .map(
        ({ scenario, subject, verdict, problems }) =>
          `${scenario.id} at the ${subject}, ${verdict}: ${problems.join(' · ')}`,
      ),
    ...profiles
      .filter(({ verdict }) => verdict !== 'conformant')
      .map(({ profile, verdict }) => `the ${profile} is ${verdict}`),
  ]
  console.log(`seed ${seed}, order ${order}: ${outcomes.length} ran, ${others.length} did not pass`, others)
  return { verdicts: Object.fromEntries([...told, ...rules]) as Record<string, string>, others }
}

test('five runs of the reference, from two seeds, in shuffled orders and beside a busy machine, say the same: that it is conformant', async () => {
  const runs: Judged[] = []
  for (const [order, seed] of SEEDS.entries()) runs.push(await judge(seed, order))
  expect(runs.map(({ others }) => others)).toEqual(SEEDS.map(() => []))
  const [first, ...later] = runs.map(({ verdicts }) => verdicts)
  expect(Object.keys(first ?? {}).length).toBeGreaterThan(1_000)
  for (const other of later) expect(other).toEqual(first)
}, 14_400_000)
