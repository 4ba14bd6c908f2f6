import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/entry',
  rules: ['MODL-01', 'MODL-02', 'MODL-03'],
  title: 'An entry has a text as its id, a whole number as its context window, and two prices',
  needs: ['key'],
  async run(context) {
    const exchange = await context.request('listModels')
    expectStatus(exchange, 200)
    const { data } = objectOf(exchange)
    assert.ok(Array.isArray(data) && data.length > 0, 'the list of models is empty')
    for (const entry of data) {
      assert.ok(isObject(entry) && typeof entry.id === 'string' && entry.id !== '', 'an entry has no id')
      assert.ok(
        Number.isInteger(entry.context_length) && Number(entry.context_length) > 0,
        'context_length is no count',
      )
      assert.ok(isObject(entry.pricing), 'pricing is no object')
      const prices = Object.values(entry.pricing).filter(
        (price) => Number.isInteger(price) && Number(price) >= 0,
      )
      assert.ok(prices.length >= 2, 'pricing has no two whole prices')
    }
  },
})
