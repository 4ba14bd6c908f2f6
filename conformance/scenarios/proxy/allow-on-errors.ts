import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/allow-on-errors',
  rules: ['HDR-05', 'AUTH-10'],
  title: 'Errors of the router, a 401 among them, still say X-Proxy-Verdict allow',
  needs: ['key'],
  subjects: ['proxy'],
  async run(context) {
    const unknown = await context.request('listModels', { key: null })
    expectError(unknown, 'invalid_api_key')
    const absent = await context.chat({ model: 'absent' })
    expectError(absent, 'model_not_found')
    for (const { headers } of [unknown, absent]) assert.equal(headers['x-proxy-verdict'], 'allow')
  },
})
