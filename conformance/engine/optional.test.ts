import { expect, test } from 'vitest'
import type { ConformanceFeature } from '#contract/models'
import { bareTarget } from '../testing/product.ts'
import { firstObstacle, type Need } from './needs.ts'
import { isLeftOut, leftOut } from './optional.ts'
import { notRun, type Outcome } from './outcome.ts'
import { define } from './scenario.ts'
import { judgeProfile } from './verdict.ts'

const target = (...features: readonly ConformanceFeature[]) =>
  bareTarget('http://127.0.0.1:9/v1', { features: new Set(features), claims: ['given'] })

const scenario = (...needs: readonly Need[]) =>
  define('a/scenario', { rules: ['EP-11'], title: 'Something holds', needs, run: async () => {} })

const unclaimed = (...needs: readonly Need[]) => notRun(scenario(...needs), 'router', 'not-supported', 'no')

const passed: Outcome = {
  scenario: define('a/pass', { rules: ['MODL-05'], title: 'Something holds', run: async () => {} }),
  subject: 'router',
  verdict: 'pass',
  problems: [],
  exchanges: [],
  durationMs: 1,
}

test('embeddings and invitations are what can be left out', () => {
  expect(leftOut(target())).toEqual(['embeddings', 'invitations'])
  expect(leftOut(target('embeddings', 'invitations'))).toEqual([])
})

test('a feature that is not claimed is told before a hook, a model or a key that is missing', () => {
  const needs: readonly Need[] = ['backendScript', 'model:embeddings', 'key:revoked', 'feature:embeddings']
  expect(firstObstacle(needs, target())).toEqual({
    verdict: 'not-supported',
    reason: 'the product does not claim the feature embeddings',
  })
  expect(firstObstacle(needs, target('embeddings'))?.reason).toBe('the target lacks the hook backendScript')
  expect(firstObstacle(['model:embeddings'], target())?.verdict).toBe('not-supported')
  expect(firstObstacle(['model:embeddings'], target('embeddings'))?.verdict).toBe('not-testable')
})

test('what shows an optional part alone is left out with it, and what shows another one is missing', () => {
  expect(isLeftOut(unclaimed('feature:embeddings'), target())).toBe(true)
  expect(isLeftOut(unclaimed('feature:embeddings', 'feature:upstreams'), target())).toBe(false)
  expect(isLeftOut(notRun(scenario(), 'router', 'not-testable', 'no'), target())).toBe(false)
})

test('a role is conformant without what it leaves out, and partial without anything else', () => {
  const judge = (need: Need) => judgeProfile('router', [passed, unclaimed(need)], target('invitations'))
  expect(judge('feature:embeddings')).toMatchObject({ verdict: 'conformant', without: ['embeddings'] })
  expect(judge('feature:embeddings').rules.map(({ id }) => id)).toEqual(['MODL-05'])
  expect(judge('feature:upstreams')).toMatchObject({ verdict: 'partial' })
})
