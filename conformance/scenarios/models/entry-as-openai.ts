import assert from 'node:assert/strict'
import { expectModels } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/entry-as-openai',
  rules: ['MODL-13'],
  title: 'An entry says that it is a model, when it was made and who owns it',
  needs: ['key'],
  async run(context) {
    for (const entry of expectModels(await context.request('listModels'))) {
      assert.equal(entry.object, 'model')
      assert.ok(
        Number.isInteger(entry.created) && entry.created >= 0 && entry.created < 1e11,
        'created is not in seconds',
      )
      assert.ok(entry.owned_by.length > 0)
    }
  },
})
