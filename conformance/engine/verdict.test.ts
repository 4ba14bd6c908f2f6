import { expect, test } from 'vitest'
import type { ScenarioVerdict } from '#contract/models'
import type { RuleId } from '#contract/rules'
import { EXIT, exitCodeOf } from '../commands/exit.ts'
import { bareTarget } from '../testing/product.ts'
import type { Outcome } from './outcome.ts'
import { define } from './scenario.ts'
import type { Subject, Target } from './target.ts'
import { judgeProfile } from './verdict.ts'

function outcome(
  verdict: ScenarioVerdict,
  rules: readonly RuleId[] = ['AUTH-03'],
  subject: Subject = 'router',
): Outcome {
  const scenario = define({ id: `a/${verdict}`, rules, title: 'Something holds', run: async () => {} })
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

test('a run through the proxy counts for what binds the proxy and for its being the router’s equal', () => {
  const target = bareTarget('http://x/v1', { proxyUrl: 'http://y/v1' })
  const outcomes = [outcome('pass', ['AUTH-03'], 'proxy'), outcome('fail', ['STRM-01'], 'proxy')]
  const { given } = judgeProfile('proxy', outcomes, target)
  expect(given.rules_broken).toEqual(['SRV-03', 'PRXY-01', 'PRXY-06', 'STRM-01'])
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
