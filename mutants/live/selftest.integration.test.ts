// @module-tag redis-server

import { expect, test } from 'vitest'
import { startPlanted } from './deployment.ts'
import { createExaminer } from './examiner.ts'
import type { LiveFault } from './fault.ts'
import { faults as allFaults } from './faults.ts'
import { selftest } from './selftest.ts'

/** A few of each kind that are quickly told; `npm run selftest` takes all of them. */
const FEW = [
  'key-prefix-counts',
  'scope-not-asked',
  'missing-field-type',
  'own-request-ids',
  'digest-never-shown',
  'records-for-everybody',
  'no-done',
  'rounded-down',
  'tee-is-a-number',
  'evidence-cached',
]

const harmless: LiveFault = {
  id: 'of-no-consequence',
  file: 'server/request-id.ts',
  find: 'nothing',
  replace: 'nothing',
  violates: ['HDR-02'],
  expectKilledBy: ['headers/request-id-echo'],
}

test('faults are found by checks of the rules that they break, and one that does nothing survives', async () => {
  const few = allFaults.filter(({ id }) => FEW.includes(id))
  expect(few.map(({ id }) => id).toSorted()).toEqual(FEW.toSorted())
  const faults = [...few, harmless]
  const examiner = await createExaminer({ deployment: await startPlanted(), faults, jobs: 4, seed: 1 })
  const { atRest, tried } = await selftest({
    examiners: [examiner],
    faults,
    isFull: false,
    withLong: false,
    isAmong: () => true,
    keepReach: (_, find) => find(),
    onWatched: () => {},
    onTried: () => {},
    onRest: () => {},
  }).finally(examiner.stop)
  expect(atRest).toEqual([])
  const survivors = tried.filter(({ isKilled }) => !isKilled)
  expect(survivors.map(({ fault, missed, passed }) => [fault.id, missed, passed])).toEqual([
    [harmless.id, harmless.violates, harmless.expectKilledBy],
  ])
}, 900_000)
