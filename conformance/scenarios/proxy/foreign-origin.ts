import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/foreign-origin',
  rules: ['PRXY-11', 'PRXY-18'],
  title: 'A page of another origin is 403 forbidden_origin, one of a configured origin is served',
  needs: ['key', 'cors'],
  subjects: ['proxy'],
  async run(context) {
    const ask = (origin: string) => context.request('listModels', { headers: { origin } })
    const refused = await ask('https://evil.example')
    expectError(refused, 'forbidden_origin')
    assert.equal(refused.headers['x-proxy-verdict'], undefined)
    expectError(await ask('null'), 'forbidden_origin')
    expectStatus(await ask(context.target.corsOrigin ?? ''), 200)
  },
})
