import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from '../engine/assert.ts'
import { define, type Scenario } from '../engine/scenario.ts'
import { runSuite } from '../engine/suite.ts'
import { bareTarget, benchFor } from './product.ts'

// A process of its own: what goes astray here would be the test's where the test runs. Prints verdicts and faults.

function scenario(id: string, run: Scenario['run']): Scenario {
  return define(`stray/${id}`, { rules: ['MODL-05'], title: 'Something goes astray', run })
}

const scenarios = [
  scenario('in-a-timer', async () => {
    setTimeout(() => fail('in a timer'), 1)
    await sleep(60_000)
  }),
  scenario('in-a-promise', async () => {
    void Promise.reject(new Error('in a promise that nobody waits for'))
    await sleep(60_000)
  }),
  scenario('after-its-end', async () => void setTimeout(() => fail('after its end'), 50)),
  scenario('beside-its-failure', async () => {
    void sleep(20).then(() => fail('the second'))
    await sleep(0)
    fail('the first')
  }),
  scenario('nothing', async () => sleep(100).then(() => undefined)),
]

setTimeout(() => {
  throw new Error('of no scenario')
}, 20)

const faults: string[] = []
const outcomes = await runSuite({
  ...benchFor(bareTarget('http://127.0.0.1:9/v1')),
  scenarios,
  profiles: ['router'],
  jobs: scenarios.length,
  isSlow: false,
  onOutcome: ({ scenario: { id } }) => {
    if (id === 'stray/nothing') throw new Error('whoever is told')
  },
  onFault: (thrown) => faults.push((thrown as Error).message),
})
const verdicts = outcomes.map(({ scenario: { id }, verdict, problems }) => [id, verdict, ...problems])
process.stdout.write(JSON.stringify({ verdicts, faults }))
process.exit()
