import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

/** Of a verdict of the proxy (decisions, 8). */
const LIFE_MS = 300_000

export default define({
  id: 'proxy/either-clock',
  rules: ['VERD-09', 'VERD-07'],
  title: 'A verdict has expired once five minutes have passed by the wall clock or by the monotonic one',
  needs: ['key', 'proxyControl', 'proxyWire'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    const ask = () => context.request('listModels')
    const wire = context.wire('proxyWire')
    for (const clock of ['wall', 'monotonic'] as const) {
      expectStatus(await ask(), 200)
      await wire.hold()
      try {
        await context.proxyControl('/advance', { milliseconds: LIFE_MS, clock })
        await context.eventually(`the ${clock} clock has moved`, async () => (await wire.state()).held > 0)
        const refused = await ask()
        expectError(refused, 'attestation_failed')
        assert.equal(objectOf(refused).reason, 'verdict_expired')
      } finally {
        await wire.mend()
      }
      await untilServed(context, ask)
    }
  },
})
