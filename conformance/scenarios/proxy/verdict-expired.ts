import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'proxy/verdict-expired',
  rules: ['VERD-22', 'ERR-40', 'ERR-48'],
  title:
    'When a verdict’s life ends, new requests are 503 attesting and told to come again, running ones are revoked',
  needs: ['generation', 'backendScript', 'proxyControl', 'proxyWire'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    await context.script({ chunks: 4_000, betweenChunksMs: 20 })
    const wire = context.wire('proxyWire')
    const call = await context.stream()
    assert.ok(await call.until((soFar) => countTexts(soFar) > 0), 'the stream did not begin')
    // What runs goes on, and no evidence can be had any more.
    await wire.hold()
    try {
      await context.proxyControl('/advance', { milliseconds: LIFE_MS + 1_000 })
      assert.equal(expectFailedStream(await call.done).error.code, 'attestation_revoked')
      for (const ask of [() => context.chat(), () => context.request('listModels')]) {
        const refused = await ask()
        expectError(refused, 'attestation_failed')
        const { stage, reason } = objectOf(refused)
        assert.deepEqual([stage, reason], ['attesting', 'verdict_expired'])
        assert.equal(refused.headers['retry-after'], '1')
        assert.notEqual(refused.headers['x-should-retry'], 'false', 'trying again can help')
      }
    } finally {
      await wire.mend()
    }
    await untilServed(context, () => context.request('listModels'))
  },
})

/** Of a verdict of the proxy (decisions, 8). */
const LIFE_MS = 300_000
