import assert from 'node:assert/strict'
import { expectModel, expectModels } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'upstreams/no-label',
  rules: ['MODL-11'],
  title: 'A model that an external upstream serves is listed without endpoint.tee',
  needs: ['key', 'feature:upstreams', 'model:external'],
  async run(context) {
    const id = context.model('external')
    const listed = expectModels(await context.request('listModels')).find((entry) => entry.id === id)
    const alone = expectModel(await context.request('getModel', { params: { id } }))
    for (const entry of [listed, alone]) {
      assert.equal(entry?.id, id, 'the model is not listed')
      assert.ok(!('tee' in entry.endpoint), `endpoint.tee is ${entry.endpoint.tee}`)
    }
  },
})
