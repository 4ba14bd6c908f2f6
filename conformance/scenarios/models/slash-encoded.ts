import assert from 'node:assert/strict'
import { expectModel } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/slash-encoded',
  rules: ['MODL-19', 'MODL-18'],
  title: 'GET /models/{id} takes the slash of an id percent-encoded',
  needs: ['key', 'model:slashed'],
  async run(context) {
    const id = context.model('slashed')
    assert.ok(id.includes('/'), 'the model of the target has no slash')
    const encoded = expectModel(await context.request('getModel', { params: { id: encodeURIComponent(id) } }))
    assert.equal(encoded.id, id)
    const lower = encodeURIComponent(id).replaceAll('%2F', '%2f')
    assert.equal(expectModel(await context.request('getModel', { params: { id: lower } })).id, id)
  },
})
