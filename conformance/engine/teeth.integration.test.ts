import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { arraign, echoServer, nullServer, refusingServer } from '../testing/guilty.ts'
import { discover } from './discover.ts'
import { runSuite } from './suite.ts'

const silentServer: RequestListener = (incoming) => void incoming.socket.destroy()

// What is judged of every exchange is left out here: each scenario has to convict by itself.
test.each([
  ['that says yes to everything', nullServer],
  ['that gives back what it is given', echoServer],
  ['that hangs up', silentServer],
])('a server %s is convicted by every scenario, and none of them fails itself', async (_, listener) => {
  const { verdicts, scenarios } = await judge(listener)
  expect(verdicts.pass?.map(({ scenario }) => scenario.id) ?? []).toEqual([])
  expect(verdicts.fail).toHaveLength(scenarios.length)
})

/** Scenarios that ask for no more than that somebody is refused who has no valid key. */
const REFUSED_RIGHTLY: readonly string[] = [
  'authentication/cookie-or-query',
  'authentication/malformed-key',
  'authentication/message',
  'authentication/missing-key',
  'authentication/nearly-right-key',
  'authentication/other-scheme',
  'authentication/wrong-key',
]

test('a server that refuses everybody is convicted by every scenario that does not ask for just that', async () => {
  const { verdicts, scenarios } = await judge(refusingServer)
  expect(verdicts.pass?.map(({ scenario }) => scenario.id).toSorted() ?? []).toEqual(REFUSED_RIGHTLY)
  expect(verdicts.fail).toHaveLength(scenarios.length - REFUSED_RIGHTLY.length)
})

/** What each scenario says of a server at its first subject; that none of them is an error of its own is asserted. */
async function judge(listener: RequestListener) {
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
  return { verdicts, scenarios }
}
