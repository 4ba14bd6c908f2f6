import { expect, test } from 'vitest'
import type { ScenarioVerdict } from '#contract/models'
import type { RuleId } from '#contract/rules'
import { EXIT, exitCodeOf } from '../commands/exit.ts'
import { bareTarget } from '../testing/product.ts'
import type { Outcome } from './outcome.ts'
import { define, type Scenario } from './scenario.ts'
import type { Subject, Target } from './target.ts'
import { judgeProfile } from './verdict.ts'

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
    given: { verdict: 'conformant', rules_kept: 3, rules_broken: [] },
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

test('the exit code is that of the worst verdict, and the suite’s own errors come first', () => {
  const results = (outcomes: readonly Outcome[]) => ({
    profiles: [verdictOf(outcomes)],
    scenarios: outcomes.map(({ verdict }) => ({ verdict })) as never,
  })
  expect(exitCodeOf(results([outcome('pass')]))).toBe(EXIT.conformant)
  expect(exitCodeOf(results([outcome('pass'), outcome('disabled')]))).toBe(EXIT.partial)
  expect(exitCodeOf(results([outcome('fail'), outcome('disabled')]))).toBe(EXIT.failing)
  expect(exitCodeOf(results([outcome('fail'), outcome('error')]))).toBe(EXIT.error)
})
