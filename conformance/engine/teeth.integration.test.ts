import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { arraign, echoServer, nullServer } from '../testing/guilty.ts'
import { discover } from './discover.ts'
import { runSuite } from './suite.ts'

const silentServer: RequestListener = (incoming) => void incoming.socket.destroy()

// What is judged of every exchange is left out here: each scenario has to convict by itself.
test.each([
  ['that says yes to everything', nullServer],
  ['that gives back what it is given', echoServer],
  ['that hangs up', silentServer],
])('a server %s is convicted by every scenario, and none of them fails itself', async (_, listener) => {
  const guilty = await arraign(listener)
  const scenarios = (await discover()).map(({ scenario }) => ({
    ...scenario,
    subjects: scenario.subjects.slice(0, 1),
  }))
  const outcomes = await runSuite({
    ...guilty.bench,
    scenarios,
    profiles: guilty.bench.target.profiles,
    jobs: 20,
    isSlow: true,
  }).finally(guilty.stop)
  const verdicts = Object.groupBy(outcomes, ({ verdict }) => verdict)
  expect(verdicts.error?.map(({ scenario, problems }) => [scenario.id, ...problems]) ?? []).toEqual([])
  expect(verdicts.pass?.map(({ scenario }) => scenario.id) ?? []).toEqual([])
  expect(verdicts.fail).toHaveLength(scenarios.length)
})
