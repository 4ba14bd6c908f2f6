import assert from 'node:assert/strict'
import { expectError, expectStatus, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectStream } from '../../engine/stream.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/foreign-answers',
  rules: ['VERD-31'],
  title:
    'A 404 over another certificate than an upstream’s cuts no stream and takes nothing from its verdict',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  waitsMs: () => 15_000,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { gateway } = upstream
      await gateway.backend.play({ rules: [{ chunks: 60, betweenChunksMs: 40 }] })
      const running = await upstream.stream()
      assert.ok(await running.until((soFar) => countTexts(soFar) > 0), 'the stream did not begin')
      await gateway.renewLeaf({ isPublished: false })
      gateway.answer({ status: 404, body: '{}' })
      const { asked } = gateway
      const refused = await nothingSent(upstream, () => upstream.chat())
      expectError(refused, 'attestation_failed')
      expectSubset(objectOf(refused), { stage: 'upstream-tls-fingerprint', reason: 'leaf_mismatch' })
      assert.ok(gateway.asked > asked, 'the evidence was not looked at once more')
      assert.ok(await upstream.isListed(), 'the verdict has gone')
      const { text } = expectStream(await running.done)
      assert.ok(text.endsWith('word60'), 'the stream did not come to its end')
      // And nobody has to act once the stranger has gone.
      await gateway.renewLeaf()
      gateway.answer()
      expectStatus(await upstream.chat(), 200)
    }),
})
