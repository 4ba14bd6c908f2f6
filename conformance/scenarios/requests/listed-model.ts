import assert from 'node:assert/strict'
import { expectChat, expectModels } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/listed-model',
  rules: ['REQ-02'],
  title: 'Each model that is listed for a key and can chat is one that a request may name',
  needs: ['generation'],
  async run(context) {
    const models = expectModels(await context.request('listModels'))
    const entry = models.find(({ id }) => id === context.model())
    assert.ok(entry, `${context.model()} is not listed`)
    assert.ok(entry.capabilities.includes('chat'), `${context.model()} is not listed as one that can chat`)
    assert.equal(expectChat(await context.chat({ model: entry.id })).model, entry.id)
  },
})
