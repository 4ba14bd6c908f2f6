// @module-tag redis-server

import { expect, test } from 'vitest'
import type { RuleId } from '#contract/rules'
import type { LiveFault } from './fault.ts'
import { isExact } from './selftest.ts'
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
  broken: new Map(broken.map((rule) => [rule, { scenarios: failed, problem: 'it is otherwise' }])),
  failed: new Set(failed),
  errors: [],
  problems: new Map(),
  durationMs: 1,
})

test('a fault is killed when each of its rules is found broken and each of its scenarios fails', () => {
  const judged = judgeTrial(fault, trial(fault.violates, [...fault.expectKilledBy, 'models/list']))
  expect(judged).toEqual({ isKilled: true, missed: [], passed: [], beyond: [], unbroken: [] })
})

test('a kill is over-wide where a check of a rule fails that the fault does not say to break', () => {
  const judged = judgeTrial(fault, trial([...fault.violates, 'MODL-05'], fault.expectKilledBy))
  expect(judged).toMatchObject({ isKilled: true, beyond: ['MODL-05'] })
  expect(isExact(judged)).toBe(false)
})

test('what a fault says to break besides is broken, or the kill is not exact', () => {
  const besides = {
    ...fault,
    alsoBreaks: [{ rules: ['MODL-05'], because: 'a list is such an answer' }],
  } as const
  const both = judgeTrial(besides, trial([...fault.violates, 'MODL-05'], fault.expectKilledBy))
  expect(both).toMatchObject({ isKilled: true, beyond: [], unbroken: [] })
  expect(isExact(both)).toBe(true)
  const judged = judgeTrial(besides, trial(fault.violates, fault.expectKilledBy))
  expect(judged).toMatchObject({ isKilled: true, unbroken: ['MODL-05'] })
  expect(isExact(judged)).toBe(false)
})

test('one whose scenarios fail by other rules than its own survives', () => {
  const judged = judgeTrial(fault, trial(['AUTH-03', 'ERR-08'], fault.expectKilledBy))
  expect(judged).toMatchObject({ isKilled: false, missed: ['AUTH-13'], passed: [] })
})

test('one that a scenario of its own does not see survives', () => {
  const judged = judgeTrial(fault, trial(fault.violates, ['authentication/wrong-key']))
  expect(judged).toMatchObject({ isKilled: false, missed: [], passed: ['authentication/malformed-key'] })
})
