import { expect, test } from 'vitest'
import type { RuleId } from '#contract/rules'
import type { Coverage, RuleCoverage } from './coverage.ts'
import { gateOf } from './gate.ts'
import type { Unbuilt } from './unbuilt.ts'

const nothing: Coverage = { rules: [], answers: [], codes: [], reasons: [] }

function rule(id: RuleId, change: Partial<RuleCoverage> = {}): RuleCoverage {
  const usual = { origin: 'given', level: 'must', subjects: ['router'], test: 'black-box' } as const
  return { id, ...usual, scenarios: [], ...change }
}

test('where everything is shown nothing fails', () => {
  const rules = [rule('AUTH-03', { scenarios: ['a/b'] })]
  const answers = [{ operation: 'listModels', status: 200, count: 1 }] as const
  const found = gateOf({ ...nothing, rules, answers, codes: [{ code: 'internal', count: 2 }] })
  expect(found.failures).toEqual([])
  expect(found.waiting.flatMap(({ gaps }) => gaps)).toEqual([])
})

test.each<[string, Partial<Coverage>, string]>([
  [
    'a given rule of the router without a scenario',
    { rules: [rule('AUTH-03')] },
    'the rule AUTH-03 has no counted scenario',
  ],
  [
    'a given rule of the proxy without a scenario',
    { rules: [rule('PRXY-03', { subjects: ['proxy'] })] },
    'the rule PRXY-03 has no counted scenario',
  ],
  [
    'a status that an operation declares and nobody was answered',
    { answers: [{ operation: 'listModels', status: 401, count: 0 }] },
    'listModels was never answered 401',
  ],
  [
    'a code that was never provoked',
    { codes: [{ code: 'internal', count: 0 }] },
    'the code internal was never provoked',
  ],
  [
    'a reason that was never provoked',
    { reasons: [{ ground: 'policy/no_pins', count: 0, elsewhere: undefined }] },
    'the reason policy/no_pins was never provoked',
  ],
])('%s fails the gate', (_, change, failure) => {
  expect(gateOf({ ...nothing, ...change }).failures).toEqual([failure])
})

test('what waits for a part that is not built fails nothing, and is shown under its name', () => {
  const part: Unbuilt = {
    feature: 'a room to come',
    owns: { rule: (id) => id === 'DIG-01', answer: () => false, code: (code) => code === 'conflict' },
  }
  const rules = [rule('DIG-01')]
  const { failures, waiting } = gateOf({ ...nothing, rules, codes: [{ code: 'conflict', count: 0 }] }, [part])
  expect(failures).toEqual([])
  expect(waiting).toEqual([
    {
      feature: 'a room to come',
      gaps: ['the rule DIG-01 has no counted scenario', 'the code conflict was never provoked'],
    },
  ])
})

test('a code that nothing outside can provoke fails nothing', () => {
  expect(gateOf({ ...nothing, codes: [{ code: 'request_timeout', count: 0 }] }).failures).toEqual([])
})

test('chosen rules, rules of others, and reasons that another test provokes fail nothing', () => {
  const rules = [rule('HDR-09', { origin: 'chosen' }), rule('SRV-01', { subjects: ['client'] })]
  const reasons = [{ ground: 'fetch/timeout', count: 0, elsewhere: 'some test' }]
  expect(gateOf({ ...nothing, rules, reasons }).failures).toEqual([])
})
