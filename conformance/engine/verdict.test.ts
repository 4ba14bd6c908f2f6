import { describe, expect, test } from 'vitest'
import type { ScenarioVerdict } from '#contract/models'
import type { RuleId } from '#contract/rules'
import { EXIT, exitCodeOf } from '../commands/exit.ts'
import { bareTarget } from '../testing/product.ts'
import type { Outcome } from './outcome.ts'
import { catalogue, originOf } from './rules.ts'
import { define, type Scenario } from './scenario.ts'
import type { Subject, Target } from './target.ts'
import { failsOf, judgeProfile } from './verdict.ts'

function outcome(
  verdict: ScenarioVerdict,
  rules: readonly RuleId[] = ['AUTH-03'],
  subject: Subject = 'router',
): Outcome {
  const scenario = define(`a/${verdict}`, { rules, title: 'Something holds', run: async () => {} })
  return { scenario, subject, verdict, problems: [], exchanges: [], durationMs: 1 }
}

function verdictOf(outcomes: readonly Outcome[], target: Partial<Target> = {}) {
  return judgeProfile('router', outcomes, bareTarget('http://x/v1', target))
}

test.each<[ScenarioVerdict, string]>([
  ['pass', 'conformant'],
  ['warn', 'conformant'],
  ['fail', 'failing'],
  ['not-supported', 'partial'],
  ['not-testable', 'partial'],
  ['disabled', 'partial'],
  ['error', 'partial'],
])('one scenario that is a %s beside a pass makes the role %s', (verdict, expected) => {
  expect(verdictOf([outcome('pass'), outcome(verdict)]).verdict).toBe(expected)
})

test('a product that differs from our choices alone is conformant on the given specification', () => {
  const outcomes = [outcome('pass'), outcome('fail', ['AUTH-12'])]
  expect(verdictOf(outcomes, { claims: ['given'] })).toMatchObject({
    verdict: 'conformant',
    given: { verdict: 'conformant', rules_kept: 1 },
    chosen: { verdict: 'failing', rules_broken: ['AUTH-12'] },
  })
  expect(verdictOf(outcomes, { claims: ['given', 'chosen'] }).verdict).toBe('failing')
})

test('a rule is broken by one failure, kept by one pass, untold by neither', () => {
  const outcomes = [
    outcome('pass', ['AUTH-03', 'AUTH-01']),
    outcome('fail', ['AUTH-03']),
    outcome('not-testable', ['AUTH-06']),
  ]
  expect(verdictOf(outcomes).given).toMatchObject({
    rules_kept: 1,
    rules_broken: ['AUTH-03'],
    rules_untold: ['AUTH-06'],
    scenarios: { pass: 1, fail: 1, not_testable: 1, warn: 0 },
  })
})

test('of a scenario with several rules the one breaks whose check failed, and those are untold that were not reached', () => {
  const rules: readonly RuleId[] = ['AUTH-03', 'AUTH-01', 'AUTH-06']
  const shown = {
    held: new Map<RuleId, number>([['AUTH-03', 2]]),
    broken: [{ rules: ['AUTH-01'] as const, problem: 'no' }],
  }
  const result = verdictOf([{ ...outcome('fail', rules), shown }])
  expect(result.given).toMatchObject({
    rules_kept: 0,
    rules_broken: ['AUTH-01'],
    rules_partly: ['AUTH-03'],
    rules_untold: ['AUTH-06'],
  })
  expect(result.rules.find(({ id }) => id === 'AUTH-01')).toMatchObject({
    state: 'broken',
    section: catalogue['AUTH-01'].ref,
    broken_by: [{ scenario: 'a/fail', problem: 'no', count: 1, announced: false }],
  })
})

test('a given rule that is not reached for a chosen one’s sake leaves the given part in doubt, and unbroken', () => {
  const shown = { held: new Map(), broken: [{ rules: ['AUTH-12'] as const, problem: 'no' }] }
  const mixed = { ...outcome('fail', ['AUTH-03', 'AUTH-12']), shown }
  expect(verdictOf([mixed])).toMatchObject({
    given: { verdict: 'partial', rules_untold: ['AUTH-03'], rules_broken: [] },
    chosen: { verdict: 'failing', rules_broken: ['AUTH-12'] },
  })
})

test('what every exchange is held to breaks its own rules, told once with their number, and no scenario', () => {
  const violations = [
    { rules: ['ERR-03'] as const, origin: 'given' as const, problem: 'odd' },
    { rules: ['ERR-03'] as const, origin: 'given' as const, problem: 'odder' },
  ]
  const outcomes = [
    { ...outcome('pass'), violations },
    { ...outcome('pass', ['AUTH-01']), violations },
  ]
  const result = verdictOf(outcomes)
  expect(result).toMatchObject({ verdict: 'failing', given: { rules_kept: 2, rules_broken: ['ERR-03'] } })
  const broken = result.rules.find(({ id }) => id === 'ERR-03')
  expect(broken?.broken_by).toEqual([{ scenario: 'universal', problem: 'odd', count: 4, announced: false }])
  const expectedFailures = [{ scenario: 'universal', check: 'ERR-03', reason: 'known' }]
  expect(verdictOf(outcomes, { expectedFailures }).verdict).toBe('partial')
})

test('an announced failure of one check excuses that check alone', () => {
  const failing = (rule: RuleId) => ({
    ...outcome('fail', ['AUTH-03', 'AUTH-01']),
    shown: { held: new Map(), broken: [{ rules: [rule], problem: 'no' }] },
  })
  const expectedFailures = [{ scenario: 'a/fail', check: 'AUTH-03', reason: 'known' }]
  expect(verdictOf([failing('AUTH-03')], { expectedFailures }).verdict).toBe('partial')
  expect(verdictOf([failing('AUTH-01')], { expectedFailures }).verdict).toBe('failing')
})

test('nothing shown is no conformance', () => {
  expect(verdictOf([]).verdict).toBe('partial')
})

test('an announced failure leaves the role partial; one that does not occur fails it', () => {
  const expectedFailures = [{ scenario: 'a/fail', reason: 'known' }]
  expect(verdictOf([outcome('pass'), outcome('fail')], { expectedFailures }).verdict).toBe('partial')
  const passed = [{ scenario: 'a/pass', reason: 'known' }]
  expect(verdictOf([outcome('pass')], { expectedFailures: passed }).verdict).toBe('failing')
})

const proxied = bareTarget('http://x/v1', { proxyUrl: 'http://y/v1' })
const differential = ['SRV-03', 'PRXY-01', 'PRXY-06']

function throughProxy(
  own: ScenarioVerdict,
  rules: readonly RuleId[],
  isSame?: boolean,
  change: Partial<Scenario> = {},
): Outcome {
  const made = outcome(isSame === false ? 'fail' : own, rules, 'proxy')
  const scenario = { ...made.scenario, ...change }
  return { ...made, scenario, ...(isSame !== undefined && { comparison: { isSame, own } }) }
}

test('a run through the proxy counts for what binds the proxy, and its comparison for being the router’s equal', () => {
  const outcomes = [throughProxy('pass', ['AUTH-03'], true), throughProxy('fail', ['STRM-01'], false)]
  const { given } = judgeProfile('proxy', outcomes, proxied)
  expect(given.rules_broken).toEqual([...differential, 'STRM-01'])
})

test('a chosen rule that is broken alike at router and proxy breaks no given rule of the proxy', () => {
  const outcomes = [throughProxy('fail', ['AUTH-12']), throughProxy('pass', ['AUTH-03'], true)]
  expect(judgeProfile('proxy', outcomes, { ...proxied, claims: ['given'] })).toMatchObject({
    verdict: 'conformant',
    given: { verdict: 'conformant', rules_kept: 0, rules_partly: differential, rules_broken: [] },
    chosen: { verdict: 'failing' },
  })
})

test('what was never compared tells nothing of being the router’s equal', () => {
  const { given } = judgeProfile('proxy', [throughProxy('pass', ['AUTH-03'])], proxied)
  expect(given).toMatchObject({ rules_kept: 0, rules_broken: [], rules_untold: differential })
  const uncompared = throughProxy('pass', ['AUTH-03'], undefined, { isCompared: false })
  expect(judgeProfile('proxy', [uncompared], proxied).given.rules_untold).toEqual([])
})

test('a difference through the proxy breaks given rules, whatever rules its scenario is about, and none of those', () => {
  const outcomes = [throughProxy('pass', ['AUTH-03'], true), throughProxy('pass', ['PRXY-18'], false)]
  expect(judgeProfile('proxy', outcomes, { ...proxied, claims: ['given'] })).toMatchObject({
    verdict: 'failing',
    given: { verdict: 'failing', rules_broken: differential, scenarios: { pass: 1, fail: 1 } },
    chosen: { rules_kept: 1, rules_broken: [], scenarios: { fail: 0 } },
  })
})

test('an announced break of what every exchange is held to excuses the role that it names', () => {
  const violations = [{ rules: ['ERR-03'] as const, origin: 'given' as const, problem: 'odd' }]
  const outcomes = [{ ...outcome('pass'), violations }]
  const announce = (subject: Subject) => [
    { scenario: 'universal', check: 'ERR-03' as const, subject, reason: 'known' },
  ]
  const told = (subject: Subject) => verdictOf(outcomes, { expectedFailures: announce(subject) })
  expect(told('router')).toMatchObject({
    verdict: 'partial',
    rules: expect.arrayContaining([
      expect.objectContaining({ id: 'ERR-03', broken_by: [expect.objectContaining({ announced: true })] }),
    ]),
  })
  expect(told('proxy').verdict).toBe('failing')
})

test('what exchanges break of a claimed rule fails, whatever scenarios were selected', () => {
  const violations = [{ rules: ['AUTH-12'] as const, origin: 'chosen' as const, problem: 'odd' }]
  const outcomes = [{ ...outcome('pass'), violations }]
  expect(verdictOf(outcomes, { claims: ['given', 'chosen'] }).verdict).toBe('failing')
  expect(verdictOf(outcomes, { claims: ['given'] }).verdict).toBe('conformant')
})

test('a provisional scenario decides nothing, and breaks no rule', () => {
  const failing = outcome('fail')
  const provisional = {
    ...failing,
    scenario: { ...failing.scenario, isProvisional: true },
    violations: [{ rules: ['ERR-03'] as const, origin: 'given' as const, problem: 'odd' }],
  }
  const outcomes = [outcome('pass', ['AUTH-01']), provisional]
  expect(verdictOf(outcomes)).toMatchObject({
    verdict: 'conformant',
    given: { rules_kept: 1, rules_broken: [] },
  })
  expect(failsOf(provisional, bareTarget('http://x/v1'))).toEqual([])
  expect(failsOf(failing, bareTarget('http://x/v1'))).toEqual(['given'])
})

describe('the exit code', () => {
  const results = (outcomes: readonly Outcome[], target: Partial<Target> = {}) => {
    const judged = bareTarget('http://x/v1', target)
    const { claims } = judged
    return {
      profiles: [judgeProfile('router', outcomes, judged)],
      scenarios: outcomes.map(({ verdict, scenario }) => ({
        verdict,
        origin: originOf(scenario.rules),
        provisional: scenario.isProvisional,
      })) as never,
      target: { claims } as never,
      selection: { origin: null } as never,
      faults: [],
    }
  }

  test('is that of the worst verdict, and the suite’s own errors come first', () => {
    expect(exitCodeOf(results([outcome('pass')]))).toBe(EXIT.conformant)
    expect(exitCodeOf(results([outcome('pass'), outcome('disabled')]))).toBe(EXIT.partial)
    expect(exitCodeOf(results([outcome('fail'), outcome('disabled')]))).toBe(EXIT.failing)
    expect(exitCodeOf(results([outcome('fail'), outcome('error')]))).toBe(EXIT.error)
    expect(exitCodeOf({ ...results([outcome('fail')]), faults: ['it broke'] })).toBe(EXIT.error)
  })

  test.each(['fail', 'error'] as const)('heeds no %s of a provisional scenario', (verdict) => {
    const one = outcome(verdict)
    const provisional = { ...one, scenario: { ...one.scenario, isProvisional: true } }
    expect(exitCodeOf(results([outcome('pass'), provisional]))).toBe(EXIT.conformant)
  })

  test.each(['fail', 'error'] as const)('heeds no %s of a rule that is not claimed', (verdict) => {
    const outcomes = [outcome('pass'), outcome(verdict, ['AUTH-12'])]
    expect(exitCodeOf(results(outcomes, { claims: ['given'] }))).toBe(EXIT.conformant)
    expect(exitCodeOf(results(outcomes))).not.toBe(EXIT.conformant)
  })
})
