import { expect, test } from 'vitest'
import { digestOf, type Expectation } from '#attestation'
import { expectation, failed, passed } from '../testing/admissions.ts'
import type { Outcome, Passed } from './attest.ts'
import { createCheck, type Recorded } from './check.ts'

const admitted = passed(digestOf('leaf'))

/** Each check ends as told; `during` happens while the first one runs. */
function createWorld(outcome: Outcome, record: () => Promise<Recorded>, during = () => {}) {
  const judgedBy: Expectation[] = []
  const recorded: Passed[] = []
  const thrown: unknown[] = []
  const world = { expected: expectation }
  const check = createCheck({
    async attest(expected) {
      judgedBy.push(expected)
      if (judgedBy.length === 1) during()
      return outcome
    },
    expected: () => world.expected,
    memory: {
      newestIssuedAt: () => undefined,
      record(admission) {
        recorded.push(admission)
        return record()
      },
    },
    onThrown: (error) => thrown.push(error),
  })
  return {
    judgedBy,
    recorded,
    thrown,
    world,
    check: (signal = new AbortController().signal) => check(signal),
  }
}

test('an admission is recorded, with what it rests on, before anybody acts on it', async () => {
  const { check, recorded } = createWorld(admitted, async () => 'recorded')
  expect(await check()).toBe(admitted)
  expect(recorded).toEqual([admitted])
})

test('a check that fails records nothing', async () => {
  const { check, recorded } = createWorld(failed('policy', 'digest_not_pinned'), async () => 'recorded')
  expect(await check()).toMatchObject({ kind: 'failed', ground: { reason: 'digest_not_pinned' } })
  expect(recorded).toEqual([])
})

test('a check that was given up records nothing', async () => {
  const left = new AbortController()
  const { check, recorded } = createWorld(
    admitted,
    async () => 'recorded',
    () => left.abort(),
  )
  await check(left.signal)
  expect(recorded).toEqual([])
})

test.each<[string, Outcome]>([
  ['passes', admitted],
  ['fails', failed('policy', 'no_pins')],
])('a check that %s while something else came to be expected is made again by that', async (_, outcome) => {
  const other = { ...expectation, pins: [] }
  const { check, judgedBy, recorded, world } = createWorld(
    outcome,
    async () => 'recorded',
    () => {
      world.expected = other
    },
  )
  await check()
  expect(judgedBy).toEqual([expectation, other])
  expect(recorded.length).toBe(outcome.kind === 'passed' ? 1 : 0)
})

const away = new Error('away')

test.each<[string, () => Promise<Recorded>, readonly unknown[]]>([
  ['the database is away', () => Promise.reject(away), [away]],
  ['somebody has spoken meanwhile', async () => 'outdated', []],
])('while %s an admission is no result', async (_, record, told) => {
  const { check, thrown } = createWorld(admitted, record)
  expect(await check()).toMatchObject({
    kind: 'unfinished',
    ground: { stage: 'attesting', reason: 'verdict_pending' },
  })
  expect(thrown).toEqual(told)
})

test('an admission that a newer one of another router overtook is checked anew, once', async () => {
  const answers: Recorded[] = ['rolled_back', 'recorded']
  const { check, judgedBy } = createWorld(admitted, async () => answers.shift()!)
  expect((await check()).kind).toBe('passed')
  expect(judgedBy).toHaveLength(2)
})

test('an admission that stays older than what another router has accepted is a roll-back', async () => {
  const { check, judgedBy } = createWorld(admitted, async () => 'rolled_back')
  expect(await check()).toMatchObject({
    kind: 'failed',
    ground: { stage: 'jws', reason: 'issued_at_rolled_back' },
  })
  expect(judgedBy).toHaveLength(2)
})
