import assert from 'node:assert/strict'
import { expectError, expectStatus, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectFailedStream } from '../../engine/stream.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

/** Of a verdict of the router on an upstream, and when it is renewed (decisions, 8). */
const LIFE_MS = 600_000
const RENEWAL_MS = 240_000

export default define({
  id: 'upstreams/verdict-expired',
  rules: ['VERD-08', 'VERD-09', 'VERD-17', 'VERD-22', 'ERR-40', 'ERR-48'],
  title:
    'A verdict on an upstream is renewed after 4 minutes, outlives silence for 10, and has then expired for what is new and what runs',
  needs: [...upstreamNeeds, 'sibling', 'siblingControl'],
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { siblingUrl: baseUrl = '' } = context.target
      const { gateway } = upstream
      await upstream.untilServed(baseUrl)
      try {
        gateway.hold(true)
        const { asked } = gateway
        await context.siblingControl('/advance', { milliseconds: RENEWAL_MS + 1_000, clock: 'wall' })
        await context.eventually('the evidence is looked at', async () => gateway.asked > asked, 5_000)
        expectStatus(await upstream.chat({}, baseUrl), 200)
        await gateway.backend.play({ rules: [{ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } }] })
        const running = await context.stream({ model: context.model('doubted') }, { baseUrl })
        assert.ok(await running.until((soFar) => countTexts(soFar) === 1), 'the stream did not begin')
        await context.siblingControl('/advance', { milliseconds: LIFE_MS - RENEWAL_MS, clock: 'wall' })
        assert.equal(expectFailedStream(await running.done).error.code, 'attestation_revoked')
        const refused = await nothingSent(upstream, () => upstream.chat({}, baseUrl))
        expectError(refused, 'attestation_failed')
        expectSubset(objectOf(refused), { stage: 'upstream-attesting', reason: 'verdict_expired' })
        assert.equal(refused.headers['retry-after'], '1')
        gateway.hold(false)
        await gateway.backend.play({})
        // That was no denial, so a check that passes admits again.
        await upstream.untilListed(true, baseUrl)
      } finally {
        gateway.hold(false)
        await context.siblingControl('/stop')
        await context.siblingControl('/start')
      }
    }),
})
