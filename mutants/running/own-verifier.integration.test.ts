import { expect, test } from 'vitest'
import { askOwnVerifier } from '../../conformance/commands/own-verifier.ts'
import { statesOf } from '../../conformance/engine/rule-states.ts'
import { bareTarget } from '../../conformance/testing/product.ts'
import { readCorpus } from '../../conformance/vectors/corpus.ts'
import { faults } from '../verifier/faults.ts'
import { commandOf, plantedCommandOf } from '../verifier/weaken.ts'

const NOWHERE = 'http://127.0.0.1:9/v1'
const claiming = (command: string, sameProduct: boolean) =>
  bareTarget(NOWHERE, { verifier: { command, sameProduct } })
const { id, violates, expectKilledBy } = faults.find((one) => one.id === 'verifier/unsigned')!

test('what the vectors say of the proxy’s own verifier is said of the proxy', async () => {
  const outcomes = await askOwnVerifier(claiming(plantedCommandOf(id), true), {})
  expect(outcomes).toHaveLength(readCorpus().length)
  const failed = outcomes.filter(({ verdict }) => verdict !== 'pass').map(({ scenario }) => scenario.id)
  expect(failed.toSorted()).toEqual(expectKilledBy.map((own) => `verifier/${own}`).toSorted())
  // Which of two faults is told first is a rule of its own, for bundles that have both.
  const told = readCorpus().flatMap((one) => (expectKilledBy.includes(one.id) ? one.rules : []))
  const broken = statesOf('proxy', outcomes).flatMap((rule) => (rule.state === 'broken' ? [rule.id] : []))
  expect(broken.toSorted()).toEqual([...new Set(told)].toSorted())
  expect(broken).toEqual(expect.arrayContaining([...violates]))
})

test('a verifier that keeps all breaks nothing of the proxy', async () => {
  const outcomes = await askOwnVerifier(claiming(commandOf(), true), {})
  expect(outcomes.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
})

test('nothing is asked of a verifier that is said to be another product, nor for what is not selected', async () => {
  expect(await askOwnVerifier(claiming(plantedCommandOf(id), false), {})).toEqual([])
  expect(await askOwnVerifier(claiming('false', true), { grep: ['streams/'] })).toEqual([])
})

test('a verifier that does not say what it can do is no verdict on anybody', async () => {
  await expect(askOwnVerifier(claiming('false', true), {})).rejects.toThrow('does not say what it can do')
})
