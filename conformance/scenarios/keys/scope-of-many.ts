import assert from 'node:assert/strict'
import { expectError, expectModels, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/scope-of-many',
  rules: ['KEY-17'],
  title: 'The scope of a key is a list, and each model of it may be used',
  needs: ['workspace', 'model:other', 'model:free'],
  async run(context) {
    await context.own({ scope: ['chat', 'other'] })
    expectStatus(await context.chat({ model: context.model('chat') }), 200)
    expectStatus(await context.chat({ model: context.model('other') }), 200)
    expectError(await context.chat({ model: context.model('free') }), 'model_not_in_key_scope')
    const ids = expectModels(await context.request('listModels')).map(({ id }) => id)
    assert.deepEqual(ids.toSorted(), [context.model('chat'), context.model('other')].toSorted())
  },
})
