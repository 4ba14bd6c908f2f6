import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/cross-site',
  rules: ['PRXY-28'],
  title: 'What a page of another site causes is 403 forbidden_origin on every method, without an Origin too',
  needs: ['key', 'cors'],
  subjects: ['proxy'],
  async run(context) {
    const cause = (headers: Readonly<Record<string, string>>) => ({
      headers: { 'sec-fetch-site': 'cross-site', ...headers },
    })
    const refusals = [
      await context.request('listModels', cause({})),
      await context.request('listModels', cause({ origin: 'https://evil.example' })),
      await context.request('createChatCompletion', { ...cause({}), body: {} }),
    ]
    for (const refused of refusals) {
      expectError(refused, 'forbidden_origin')
      assert.equal(refused.headers['x-proxy-verdict'], undefined, 'a refusal claims a verdict')
    }
    const { corsOrigin = '' } = context.target
    expectStatus(await context.request('listModels', cause({ origin: corsOrigin })), 200)
    expectStatus(await context.request('listModels', { headers: { 'sec-fetch-site': 'none' } }), 200)
  },
})
