import { afterEach, expect, test } from 'vitest'
import { bareTarget, benchFor, type Product, serve } from '../testing/product.ts'
import * as assert from './assert.ts'
import type { Need } from './needs.ts'
import type { Outcome } from './outcome.ts'
import { define } from './scenario.ts'
import { runSuite } from './suite.ts'

let product: Product | undefined

afterEach(() => product?.stop())

/** A scenario that fails, at a router whose hook says so many by turns. */
async function judged(counts: readonly number[], needs: readonly Need[], isRight = false): Promise<Outcome> {
  const left = [...counts]
  product = await serve((_, response) => response.end(JSON.stringify({ count: left.shift() })))
  const scenario = define('limits/some', {
    rules: ['LIM-01', 'LIM-04'],
    title: 'Something holds',
    needs,
    run: async () => assert.equal(isRight ? 1 : 2, 1, 'a request too many'),
  })
  const target = bareTarget(product.baseUrl, {
    features: new Set(['rate-limits']),
    hooks: { lostLimits: { url: product.baseUrl } },
  })
  const bench = { ...benchFor(target), profiles: ['router' as const], jobs: 1, isSlow: false }
  const [outcome] = await runSuite({ ...bench, scenarios: [scenario] })
  return outcome!
}

test('what a limit admitted while the router counted without its shared store convicts nobody, and says so', async () => {
  const outcome = await judged([3, 5], ['feature:rate-limits'])
  expect(outcome).toMatchObject({ verdict: 'not-testable', shown: { broken: [] } })
  expect(outcome.problems).toEqual([
    expect.stringMatching(/2 times meanwhile .* shares them in: a request too many/),
  ])
})

test('a router that had its shared store all the time is convicted', async () => {
  const broken = [{ rules: ['LIM-01', 'LIM-04'] }]
  expect(await judged([3, 3], ['feature:rate-limits'])).toMatchObject({ verdict: 'fail', shown: { broken } })
})

test('a scenario that no limit decides convicts whatever was lost', async () => {
  expect(await judged([3, 5], [])).toMatchObject({ verdict: 'fail' })
})

test('what held although the store was lost is shown', async () => {
  expect(await judged([3, 5], ['feature:rate-limits'], true)).toMatchObject({ verdict: 'pass' })
})

test('a hook that does not say how often is an error of the run, and convicts nobody', async () => {
  expect(await judged([3], ['feature:rate-limits'])).toMatchObject({ verdict: 'error' })
})
