import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

const PAUSE_MS = 1_000

export default define({
  id: 'proxy/first-verdict-awaited',
  rules: ['PRXY-08'],
  title: 'A request that comes before the first verdict waits for it, and is then served',
  needs: ['key', 'proxyControl', 'proxyWire'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    await context.own()
    const wire = context.wire('proxyWire')
    await wire.hold()
    try {
      await context.proxyControl('/restart')
      const call = await context.open('listModels')
      await sleep(PAUSE_MS)
      assert.ok(!call.isOver, 'it is answered before anything can have been verified')
      await wire.mend()
      const exchange = await call.done
      expectStatus(exchange, 200)
      assert.equal(exchange.headers['x-proxy-verdict'], 'allow')
    } finally {
      await wire.mend()
    }
  },
})
