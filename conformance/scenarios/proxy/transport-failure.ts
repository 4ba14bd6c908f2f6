import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/transport-failure',
  rules: ['PRXY-17'],
  title:
    'A connection that fails after an allow is 502 backend_unavailable, not to be tried again once a byte was sent',
  needs: ['generation', 'backendScript', 'proxyWire'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    const wire = context.wire('proxyWire')
    await context.script({ chunks: 2, beforeHeadersMs: 5_000 })
    const call = await context.open('createChatCompletion')
    await context.eventually('the request is under way', async () => (await context.received()).length === 1)
    await wire.cut()
    try {
      const sent = await call.done
      expectError(sent, 'backend_unavailable')
      assert.equal(sent.headers['x-should-retry'], 'false')
      const unsent = await context.chat()
      expectError(unsent, 'backend_unavailable')
      assert.equal(unsent.headers['x-should-retry'], undefined, 'nothing of it was sent')
    } finally {
      await wire.mend()
    }
    await untilServed(context, () => context.request('listModels'))
  },
})
