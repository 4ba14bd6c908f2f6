import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'endpoints/models',
  rules: ['EP-04', 'EP-05', 'MODL-05', 'MODL-06'],
  title: 'GET /models asks for a key and answers the list of OpenAI with the extension fields',
  needs: ['key'],
  async run(context) {
    expectError(await context.request('listModels', { key: null }), 'invalid_api_key')
    const exchange = await context.request('listModels')
    expectStatus(exchange, 200)
    const { object, data } = objectOf(exchange)
    assert.equal(object, 'list')
    assert.ok(Array.isArray(data) && data.length > 0, 'the list of models is empty')
    for (const entry of data) {
      assert.ok(isObject(entry), 'an entry is no object')
      assert.equal(typeof entry.id, 'string')
      for (const name of ['context_length', 'pricing', 'endpoint'])
        assert.ok(name in entry, `${entry.id} has no ${name}`)
    }
  },
})
