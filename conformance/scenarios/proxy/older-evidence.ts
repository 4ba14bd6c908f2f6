import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { interposed } from '../../engine/hostile.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/older-evidence',
  rules: ['VERD-11', 'VERD-18', 'VRFY-17'],
  title:
    'Evidence older than the newest accepted denies nobody who is admitted and admits nobody, after a restart either',
  needs: ['key', 'proxyControl', 'proxyWire', 'platform', 'platformControl'],
  subjects: ['proxy'],
  isExclusive: true,
  waitsMs: () => 15_000,
  async run(context) {
    const ask = () => context.request('listModels')
    expectStatus(await ask(), 200)
    const { body: older } = await context.published()
    await context.control('/resign')
    await context.proxyControl('/restart')
    expectStatus(await ask(), 200)
    await interposed(context, async (hostile) => {
      hostile.answer({ status: 200, body: older })
      const refused = await ask()
      expectError(refused, 'attestation_failed')
      assert.equal(objectOf(refused).stage, 'tls-fingerprint', 'the verdict has gone')
      await context.proxyControl('/restart')
      await context.eventually('it is refused as rolled back', async () => {
        const anew = await ask()
        expectError(anew, 'attestation_failed')
        const { stage, reason } = objectOf(anew)
        return stage === 'jws' && reason === 'issued_at_rolled_back'
      })
      assert.deepEqual(hostile.sent, [], 'something was sent on')
    })
    await untilServed(context, ask)
  },
})
