import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/unscoped',
  rules: ['KEY-07'],
  title: 'A key without a scope may use every model',
  needs: ['generation', 'model:other'],
  async run(context) {
    for (const name of ['chat', 'other'] as const) {
      const answer = expectChat(await context.chat({ model: context.model(name) }))
      assert.equal(answer.model, context.model(name))
    }
  },
})
