import { expect, test } from 'vitest'
import { bareTarget, serve } from '../testing/product.ts'
import { examine } from './examine.ts'

test('a hook that passes over what it was asked for is told of, and serves for the rest', async () => {
  const key = { id: 'key-1', workspace_id: 'ws-1', spent_micros: 0, state: 'active', revoked_at: null }
  const product = await serve(({ url = '' }, response) => {
    const answer = url.endsWith('/createWorkspace')
      ? { id: 'ws-1', balance_micros: 0 }
      : { ...key, api_key: 'sk-x' }
    response.end(JSON.stringify(answer))
  })
  try {
    const hook = (name: string) => ({ url: `${product.baseUrl}/${name}` })
    const hooks = { createWorkspace: hook('createWorkspace'), createKey: hook('createKey') }
    const findings = await examine(bareTarget(product.baseUrl, { hooks, keys: {} }))
    expect(findings.map(({ what, isGood, detail }) => [what, isGood, detail]).slice(1)).toEqual([
      ['the hook createWorkspace', true, 'answers'],
      ['the hook createKey', true, 'answers'],
      [
        'the hook createKey, asked for all that a key can be',
        true,
        expect.stringMatching(
          /did not do as asked: model_scope: .*; scenarios that ask for it are not testable$/,
        ),
      ],
    ])
  } finally {
    product.stop()
  }
})

test('why a router does not answer is told with its address', async () => {
  const product = await serve(() => {})
  product.stop()
  const [finding] = await examine(bareTarget(product.baseUrl, { keys: {} }))
  expect(finding?.detail).toMatch(/^nothing answers at http:\S+\/v1 \(connect ECONNREFUSED .*\)$/)
})
