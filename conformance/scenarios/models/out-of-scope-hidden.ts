import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/out-of-scope-hidden',
  rules: ['AUTH-09'],
  title: 'The list of models leaves out what lies outside the scope of the key',
  needs: ['workspace', 'model:other'],
  async run(context) {
    await context.own({ scope: ['other'] })
    const exchange = await context.request('listModels')
    expectStatus(exchange, 200)
    const { data } = objectOf(exchange)
    assert.ok(Array.isArray(data), 'there is no list')
    assert.deepEqual(
      data.map((entry) => (isObject(entry) ? entry.id : undefined)),
      [context.model('other')],
    )
  },
})
