import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/foreign-host',
  rules: ['PRXY-11', 'PRXY-18'],
  title: 'A Host that is not this machine is 403 forbidden_origin, without a verdict',
  needs: ['key'],
  subjects: ['proxy'],
  async run(context) {
    for (const host of ['evil.example', 'router.example:8484', '203.0.113.7']) {
      const exchange = await context.request('listModels', { headers: { host } })
      expectError(exchange, 'forbidden_origin')
      assert.equal(exchange.headers['x-proxy-verdict'], undefined)
    }
    expectStatus(await context.request('listModels'), 200)
  },
})
