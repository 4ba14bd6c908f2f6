import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { untilRefused, untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/fingerprint-of-the-request',
  rules: ['CONN-02'],
  title:
    'A request admitted under a verdict that has gone since is sent to no certificate at all, old or new',
  needs: ['generation', 'backendScript', 'platform', 'platformControl', 'proxyWire'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    const ask = () => context.request('listModels')
    const wire = context.wire('proxyWire')
    await context.script({ chunks: 2 })
    expectStatus(await ask(), 200)
    await wire.drop()
    await wire.hold(1)
    const admitted = await context.open('createChatCompletion')
    await context.eventually('its connection waits', async () => (await wire.state()).held === 1)
    await context.control('/rotate/deployment')
    await context.control('/rotate/leaf')
    try {
      await untilRefused(context, ask)
      await wire.mend()
      expectStatus(await admitted.done, 503)
      assert.deepEqual(await context.received(), [], 'it was sent on')
    } finally {
      await wire.mend()
      await context.control('/rotate/deployment', { restore: true })
    }
    await untilServed(context, ask)
  },
})
