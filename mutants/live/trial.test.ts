import { expect, test } from 'vitest'
import type { RuleId } from '#contract/rules'
import type { LiveFault } from './fault.ts'
import { judgeTrial, type Trial } from './trial.ts'

const fault: LiveFault = {
  id: 'one',
  file: 'server/one.ts',
  find: 'a',
  replace: 'b',
  violates: ['AUTH-03', 'AUTH-13'],
  expectKilledBy: ['authentication/wrong-key', 'authentication/malformed-key'],
}

const trial = (broken: readonly RuleId[], failed: readonly string[]): Trial => ({
  broken: new Set(broken),
  failed: new Set(failed),
  errors: [],
  problems: new Map(),
  durationMs: 1,
})

test('a fault is killed when each of its rules is found broken and each of its scenarios fails', () => {
  const { isKilled, beyond } = judgeTrial(
    fault,
    trial(fault.violates, [...fault.expectKilledBy, 'models/list']),
  )
  expect(isKilled).toBe(true)
  expect(beyond).toEqual(['models/list'])
})

test('one whose scenarios fail by other rules than its own survives', () => {
  const judged = judgeTrial(fault, trial(['AUTH-03', 'ERR-08'], fault.expectKilledBy))
  expect(judged).toMatchObject({ isKilled: false, missed: ['AUTH-13'], passed: [] })
})

test('one that a scenario of its own does not see survives', () => {
  const judged = judgeTrial(fault, trial(fault.violates, ['authentication/wrong-key']))
  expect(judged).toMatchObject({ isKilled: false, missed: [], passed: ['authentication/malformed-key'] })
})
