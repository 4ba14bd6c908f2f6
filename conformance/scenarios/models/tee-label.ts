import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/tee-label',
  rules: ['MODL-04', 'MODL-12'],
  title: 'The label of an endpoint is a text, null, or not there, and names no GPU',
  needs: ['key'],
  async run(context) {
    const exchange = await context.request('listModels')
    expectStatus(exchange, 200)
    const { data } = objectOf(exchange)
    assert.ok(Array.isArray(data) && data.length > 0, 'the list of models is empty')
    for (const entry of data) {
      assert.ok(isObject(entry) && isObject(entry.endpoint), 'an entry has no endpoint')
      const { tee } = entry.endpoint
      assert.ok(
        tee === undefined || tee === null || typeof tee === 'string',
        `the label is ${JSON.stringify(tee)}`,
      )
      assert.doesNotMatch(String(tee), /gpu|nvidia|h100|h200|b200|mi300/i)
    }
  },
})
