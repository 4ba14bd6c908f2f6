import { afterEach, expect, test } from 'vitest'
import { bareTarget, benchFor, type Product, serve } from '../testing/product.ts'
import * as assert from './assert.ts'
import { showing, shows } from './checks.ts'
import type { Context } from './context.ts'
import { HookError } from './hooks.ts'
import { noChargeReason } from './needs.ts'
import type { Outcome } from './outcome.ts'
import { type Definition, define } from './scenario.ts'
import { runSuite, type SuiteOptions } from './suite.ts'
import type { Target } from './target.ts'

let product: Product | undefined

afterEach(() => product?.stop())

const fine = { object: 'list', data: [] }

/** Answers every request like that. */
async function answering(
  body: object,
  headers: Record<string, string> = { 'x-request-id': '1' },
): Promise<void> {
  product = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  })
}

type Change = Partial<Definition> & { readonly id?: string }

function scenario({ id = 'a/scenario', ...change }: Change) {
  return define(id, {
    rules: ['MODL-05'],
    title: 'Something holds',
    run: async (context) => void (await context.request('listModels')),
    ...change,
  })
}

async function outcomesOf(
  change: Change | readonly Change[],
  target: Partial<Target> = {},
  options: Partial<SuiteOptions> = {},
): Promise<readonly Outcome[]> {
  const scenarios = (Array.isArray(change) ? change : [change]).map(scenario)
  const bench = benchFor(bareTarget(product?.baseUrl ?? 'http://127.0.0.1:9/v1', target))
  return runSuite({ ...bench, scenarios, profiles: ['router'], jobs: 2, isSlow: false, ...options })
}

test('a scenario that returns passes', async () => {
  await answering(fine)
  expect(await outcomesOf({})).toMatchObject([{ verdict: 'pass', problems: [], subject: 'router' }])
})

test('a failed assertion is the product’s failure', async () => {
  await answering(fine)
  const run = async () => assert.equal(1, 2, 'one is not two')
  expect(await outcomesOf({ run })).toMatchObject([
    { verdict: 'fail', problems: [expect.stringMatching(/^one is not two/)] },
  ])
})

test('a product that takes a request and does not answer has failed, and the suite has not', async () => {
  product = await serve((request) => void request.socket.destroy())
  const run = async (context: Context) => assert.equal((await context.request('listModels')).status, 200)
  expect(await outcomesOf({ run })).toMatchObject([{ verdict: 'fail' }])
})

test('of a product that takes no connection nothing is told', async () => {
  product = await serve(() => {})
  product.stop()
  const run = async (context: Context) => assert.equal((await context.request('listModels')).status, 200)
  const [outcome] = await outcomesOf({ run })
  expect(outcome).toMatchObject({ verdict: 'error', shown: { broken: [] } })
  expect(outcome?.problems[0]).toContain('nothing answers at http://127.0.0.1:')
})

test.each([
  ['a mistake of the scenario', new TypeError('undefined is not a function')],
  ['a hook that does not work', new HookError('the hook createKey failed')],
])('%s is an error and no failure', async (_, thrown) => {
  await answering(fine)
  const run = async () => Promise.reject(thrown)
  expect(await outcomesOf({ run })).toMatchObject([
    { verdict: 'error', problems: [expect.stringContaining(thrown.message)] },
  ])
})

test('what is judged of every exchange breaks its own rules and leaves the scenario its verdict', async () => {
  await answering(fine, { 'content-type': 'text/plain' })
  expect(await outcomesOf({})).toMatchObject([
    {
      verdict: 'pass',
      violations: [
        { rules: ['HDR-09'], problem: expect.stringContaining('no X-Request-Id') },
        { rules: ['EP-05'], problem: expect.stringContaining('text/plain') },
      ],
    },
  ])
})

test('an assertion breaks the rule that it names, and what was not reached is untold', async () => {
  await answering(fine)
  const rules = ['MODL-05', 'MODL-06', 'EP-05', 'EP-04'] as const
  const run: Definition['run'] = async () => {
    assert.ok(true)
    shows('MODL-05')
    assert.ok(true)
    await Promise.all([
      showing(['MODL-06'], async () => assert.ok(true)),
      showing(['EP-05'], async () => assert.fail('not so')),
    ])
    shows('EP-04')
    assert.ok(true)
  }
  const [outcome] = await outcomesOf({ rules, run })
  expect(outcome).toMatchObject({ verdict: 'fail', problems: ['not so'] })
  expect([...(outcome?.shown?.held ?? [])]).toEqual([
    ['MODL-05', 1],
    ['MODL-06', 1],
  ])
  expect(outcome?.shown?.broken).toEqual([{ rules: ['EP-05'], problem: 'not so' }])
})

test('an assertion cannot show a rule that its scenario does not count for', async () => {
  await answering(fine)
  const run: Definition['run'] = async () => shows('AUTH-03')
  expect(await outcomesOf({ run })).toMatchObject([
    { verdict: 'error', problems: [expect.stringContaining('AUTH-03')] },
  ])
})

test('what a scenario notices beside its rules is a warning, and does not hide a failure', async () => {
  await answering(fine)
  const noticing = (fails: boolean) => async (context: Parameters<Definition['run']>[0]) => {
    await context.request('listModels')
    context.warn('the weather is odd')
    assert.ok(!fails, 'it fails as well')
  }
  expect(
    await outcomesOf([{ run: noticing(false) }, { id: 'b/scenario', run: noticing(true) }]),
  ).toMatchObject([
    { verdict: 'warn', problems: ['the weather is odd'] },
    { verdict: 'fail', problems: [expect.stringContaining('it fails as well'), 'the weather is odd'] },
  ])
})

test('what a target cannot show is not testable, what it does not claim not supported: neither is a pass', async () => {
  await answering(fine)
  const outcomes = await outcomesOf([
    { id: 'a/hook', needs: ['books'] },
    { id: 'a/model', needs: ['model:completions'] },
    { id: 'a/workspace', needs: ['workspace'] },
    { id: 'a/feature', needs: ['feature:embeddings'] },
    { id: 'a/key', needs: ['key'] },
  ])
  expect(outcomes.map(({ verdict, problems }) => [verdict, problems[0]])).toEqual([
    ['not-testable', 'the target lacks the hook books'],
    ['not-testable', 'the target names no model completions'],
    ['not-testable', 'the target lacks the hooks createWorkspace and createKey'],
    ['not-supported', 'the product does not claim the feature embeddings'],
    ['pass', undefined],
  ])
})

test('without permission nothing is generated with the key of the target', async () => {
  await answering(fine)
  const outcomes = await outcomesOf([{ needs: ['key'] }, { id: 'b/b', needs: ['generation'] }], {
    mayGenerate: false,
  })
  expect(outcomes.map(({ verdict }) => verdict)).toEqual(['pass', 'not-testable'])
})

test.each<[string, Definition['run']]>([
  ['a body that is refused', async (context) => void (await context.chat({ n: 2 }))],
  ['a stream', async (context) => void (await (await context.stream()).done)],
  [
    'the key in the query',
    async ({ client, target }) =>
      void (await client.send({
        method: 'POST',
        path: '/chat/%63ompletions',
        query: { key: target.keys.active ?? '' },
      })),
  ],
  [
    'bytes that need not be HTTP',
    async ({ client, target }) =>
      void (await client.raw(`POST /v1/completions HTTP/1.1\r\nx: ${target.keys.active}\r\n\r\n`)),
  ],
])('a first run only reads: %s is not asked with a key that may not be charged', async (_, run) => {
  const asked: (string | undefined)[] = []
  product = await serve(({ method }, response) => {
    asked.push(method)
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': '1' })
    response.end(JSON.stringify(fine))
  })
  const reading: Definition['run'] = async (context) => {
    await context.request('listModels')
    assert.ok(true)
    await run(context)
  }
  const [outcome] = await outcomesOf({ run: reading }, { mayGenerate: false })
  expect([outcome?.verdict, outcome?.problems]).toEqual(['not-testable', [noChargeReason]])
  expect(outcome?.shown?.held.get('MODL-05')).toBe(1)
  expect(asked).toEqual(['GET'])
  expect((await outcomesOf({ run: reading }))[0]?.verdict).not.toBe('not-testable')
})

test('slow scenarios run when they are asked for', async () => {
  await answering(fine)
  const slow: Partial<Definition> = { waitsMs: () => 60_000 }
  expect(await outcomesOf(slow)).toMatchObject([{ verdict: 'disabled' }])
  expect(await outcomesOf(slow, {}, { isSlow: true })).toMatchObject([{ verdict: 'pass' }])
})

test('outcomes come in the order of the scenarios, and exclusive ones run alone at the end', async () => {
  await answering(fine)
  const running = new Set<string>()
  const seen: string[][] = []
  const watched = (id: string, isExclusive = false): Change => ({
    id,
    isExclusive,
    async run(context) {
      running.add(id)
      await context.request('listModels')
      seen.push([...running])
      running.delete(id)
    },
  })
  const order = ['a/one', 'a/two', 'a/three', 'a/four']
  const outcomes = await outcomesOf([
    watched('a/one'),
    watched('a/two', true),
    watched('a/three'),
    watched('a/four'),
  ])
  expect(outcomes.map(({ scenario: { id } }) => id)).toEqual(order)
  expect(seen.at(-1)).toEqual(['a/two'])
})

test('each subject runs the scenario, and a difference through the proxy is a failure', async () => {
  await answering(fine)
  const proxy = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': '1' })
    response.end(JSON.stringify({ ...fine, data: [], extra: 1 }))
  })
  const target = { proxyUrl: proxy.baseUrl }
  const outcomes = await outcomesOf({}, target, { profiles: ['router', 'proxy'] })
  const alone = await outcomesOf({}, target, { profiles: ['proxy'] })
  proxy.stop()
  expect(outcomes).toMatchObject([
    { subject: 'router', verdict: 'pass' },
    {
      subject: 'proxy',
      verdict: 'fail',
      comparison: { isSame: false, own: 'pass' },
      problems: [expect.stringMatching(/^the body of answer 1 .* differs/)],
    },
  ])
  expect(alone).toMatchObject([{ subject: 'proxy', verdict: 'fail' }])
})

/** Fails where it is told to, after having asked twice where it does not. */
function failingAt(...subjects: readonly string[]): Definition['run'] {
  return async (context) => {
    await context.request('listModels')
    assert.ok(!subjects.includes(context.subject), 'it fails')
    await context.request('listModels')
  }
}

test.each<[string, readonly string[], Outcome['comparison']]>([
  ['passes at both', [], { isSame: true, own: 'pass' }],
  ['fails alike at both', ['router', 'proxy'], undefined],
  ['fails at the router alone', ['router'], undefined],
  ['fails through the proxy alone, where what was answered until then is the same', ['proxy'], undefined],
])('of a scenario that %s the comparison tells what it saw', async (_, failing, comparison) => {
  await answering(fine)
  const target = { proxyUrl: product!.baseUrl }
  const run = failingAt(...failing)
  const [, outcome] = await outcomesOf({ run }, target, { profiles: ['router', 'proxy'] })
  expect(outcome?.verdict).toBe(failing.includes('proxy') ? 'fail' : 'pass')
  expect(outcome?.comparison).toEqual(comparison)
})

test('a scenario that fails through the proxy because of another answer shows the difference as well', async () => {
  await answering(fine)
  const proxy = await serve((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json', 'x-request-id': '1' })
    response.end('{}')
  })
  const run: Definition['run'] = async (context) =>
    assert.equal((await context.request('listModels')).status, 200, 'it fails')
  const target = { proxyUrl: proxy.baseUrl }
  const [, outcome] = await outcomesOf({ run }, target, { profiles: ['router', 'proxy'] })
  proxy.stop()
  expect(outcome).toMatchObject({ verdict: 'fail', comparison: { isSame: false, own: 'fail' } })
  expect(outcome?.problems).toEqual(
    expect.arrayContaining([
      expect.stringContaining('it fails'),
      expect.stringMatching(/^the status of answer 1 .* differs/),
    ]),
  )
})

test('the same seed gives the same nonce, another seed another one', async () => {
  await answering(fine)
  const nonces: string[] = []
  const run: Definition['run'] = async ({ nonce }) => void nonces.push(nonce)
  const bench = benchFor(bareTarget(product!.baseUrl))
  for (const seed of [1, 1, 2]) {
    await runSuite({
      ...bench,
      seed,
      scenarios: [scenario({ run })],
      profiles: ['router'],
      jobs: 1,
      isSlow: false,
    })
  }
  expect(nonces[0]).toBe(nonces[1])
  expect(nonces[0]).not.toBe(nonces[2])
})

test('scenarios begin in an order that can be had again, and what they found is told in their own', async () => {
  await answering(fine)
  const ids = Array.from({ length: 12 }, (_, place) => `a/number-${place}`)
  const orderFrom = async (order: number) => {
    const begun: string[] = []
    const changes = ids.map((id) => ({ id, run: async () => void begun.push(id) }))
    const outcomes = await outcomesOf(changes, {}, { jobs: 1, order })
    expect(outcomes.map(({ scenario }) => scenario.id)).toEqual(ids)
    return begun
  }
  const first = await orderFrom(1)
  expect(first).not.toEqual(ids)
  expect(first.toSorted()).toEqual(ids.toSorted())
  expect(await orderFrom(1)).toEqual(first)
  expect(await orderFrom(2)).not.toEqual(first)
})
