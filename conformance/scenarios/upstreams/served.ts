import assert from 'node:assert/strict'
import { expectChat, generationIdOf, recordIn } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'upstreams/served',
  rules: ['SRV-16', 'CHAT-08', 'VERD-29'],
  title: 'An own endpoint’s model and an external one’s are both served, each named by its own endpoint',
  needs: ['generation', 'feature:upstreams', 'model:external', 'endpoint:external', 'endpoint:own'],
  async run(context) {
    const { own, external } = context.target.endpoints
    const outside = await context.chat({ model: context.model('external') })
    const { usage, model } = expectChat(outside)
    assert.equal(usage.endpoint, external)
    assert.equal(model, context.model('external'), 'the model is not called as the client calls it')
    assert.equal(recordIn(await context.record(generationIdOf(outside))).endpoint, external)
    assert.equal(expectChat(await context.chat()).usage.endpoint, own)
  },
})
