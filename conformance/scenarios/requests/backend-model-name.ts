import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/backend-model-name',
  rules: ['REQ-02'],
  title: "The backend is asked for the model by the backend's own name for it",
  needs: ['generation', 'backendScript', 'model:failover'],
  async run(context) {
    await context.script({ chunks: 1 })
    const answer = expectChat(await context.chat({ model: context.model('failover') }))
    assert.equal(answer.model, context.model('failover'))
    const [received] = await context.received()
    const { model } = JSON.parse(received?.body ?? '{}')
    assert.ok(
      typeof model === 'string' && model !== context.model('failover'),
      `the backend was asked for ${model}`,
    )
  },
})
