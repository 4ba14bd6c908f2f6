import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { isObject, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'endpoints/model',
  rules: ['EP-07'],
  title: 'GET /models/{id} asks for a key and answers the entry of the list',
  needs: ['key'],
  async run(context) {
    const params = { id: context.model() }
    expectError(await context.request('getModel', { params, key: null }), 'invalid_api_key')
    const list = await context.request('listModels')
    expectStatus(list, 200)
    const { data } = objectOf(list)
    assert.ok(Array.isArray(data), 'there is no list')
    const entry = data.find((one) => isObject(one) && one.id === context.model())
    assert.ok(entry, `the model ${context.model()} is not listed`)
    const single = await context.request('getModel', { params })
    expectStatus(single, 200)
    assert.deepEqual(objectOf(single), entry)
  },
})
