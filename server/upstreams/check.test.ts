import { expect, test } from 'vitest'
import { digestOf } from '#attestation'
import type { Outcome } from '#egress/evidence/attest.ts'
import { basis, failed, passed as passedBy } from '../../egress/testing/admissions.ts'
import { silent } from '../log.ts'
import { createCheck } from './check.ts'
import type { Registration } from './registration.ts'
import type { AdmittedBundle, Recorded } from './sharing.ts'
import { approved, registrationOf } from './testing.ts'

const bytes = Buffer.from('the bundle')
const passed: Outcome = { ...passedBy(digestOf('leaf')), basis: { ...basis, bytes } }

/** Each check ends as told; `during` happens while the first one runs. */
function createWorld(outcome: Outcome, record: () => Promise<Recorded>, during = () => {}) {
  const judgedUnder: bigint[] = []
  const recorded: [Registration, AdmittedBundle][] = []
  const world = { registration: registrationOf(), judgedUnder, recorded }
  const attest = createCheck({
    target: { hostname: 'vendor.example', host: 'vendor.example', port: 443 },
    registration: () => world.registration,
    record(registration, bundle) {
      recorded.push([registration, bundle])
      return record()
    },
    now: () => new Date(),
    log: silent,
    attest: async () => {
      judgedUnder.push(world.registration.revision)
      if (judgedUnder.length === 1) during()
      return outcome
    },
  })
  return { ...world, check: () => attest(undefined, new AbortController().signal), world }
}

test('an admission is shared, with its bundle as received, before anybody acts on it', async () => {
  const { check, recorded } = createWorld(passed, async () => 'recorded')
  expect((await check()).kind).toBe('passed')
  const [[registration, bundle]] = recorded as [[Registration, AdmittedBundle]]
  expect(registration.revision).toBe(1n)
  expect(bundle).toMatchObject({ digest: approved, bytes })
})

test('a check that fails shares nothing', async () => {
  const { check, recorded } = createWorld(failed('policy', 'digest_not_pinned'), async () => 'recorded')
  expect(await check()).toMatchObject({ kind: 'failed', ground: { reason: 'digest_not_pinned' } })
  expect(recorded).toEqual([])
})

test('a check that an administrator’s act overtook is made again under the new approval', async () => {
  const { check, judgedUnder, world } = createWorld(
    failed('policy', 'no_pins'),
    async () => 'recorded',
    () => {
      world.registration = registrationOf({ revision: 2n })
    },
  )
  await check()
  expect(judgedUnder).toEqual([1n, 2n])
})

test.each<[string, () => Promise<Recorded>]>([
  ['the database is away', () => Promise.reject(new Error('away'))],
  ['somebody has spoken meanwhile', async () => 'outdated'],
])('while %s an admission is no result', async (_, record) => {
  const { check } = createWorld(passed, record)
  expect(await check()).toMatchObject({
    kind: 'unfinished',
    ground: { stage: 'attesting', reason: 'verdict_pending' },
  })
})

test('an admission that a newer one of another router overtook is checked anew, once', async () => {
  const answers: Recorded[] = ['rolled_back', 'recorded']
  const { check, judgedUnder } = createWorld(passed, async () => answers.shift()!)
  expect((await check()).kind).toBe('passed')
  expect(judgedUnder).toHaveLength(2)
})

test('an admission that stays older than what another router has accepted is a roll-back', async () => {
  const { check, judgedUnder } = createWorld(passed, async () => 'rolled_back')
  expect(await check()).toMatchObject({
    kind: 'failed',
    ground: { stage: 'jws', reason: 'issued_at_rolled_back' },
  })
  expect(judgedUnder).toHaveLength(2)
})
