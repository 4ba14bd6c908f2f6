import assert from 'node:assert/strict'
import { expectModel } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/default-output',
  rules: ['CRED-12'],
  title:
    'max_output_tokens is 16,384 or the context length where that is less, unless the model sets another',
  needs: ['key'],
  async run(context) {
    const entry = expectModel(await context.request('getModel', { params: { id: context.model() } }))
    assert.equal(entry.max_output_tokens, Math.min(entry.context_length, 16_384))
  },
})
