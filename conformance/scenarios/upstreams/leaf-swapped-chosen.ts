import assert from 'node:assert/strict'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectStream } from '../../engine/stream.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/leaf-swapped-chosen',
  rules: ['VERD-18', 'VERD-19', 'CONN-01', 'VRFY-20', 'ERR-47', 'ERR-40'],
  title:
    'Another certificate is upstream-tls-fingerprint when it was waited for in vain, to be tried again, while the verdict and what runs over the right one go on',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  waitsMs: () => 15_000,
  run: (context) =>
    withUpstream(context, async (upstream) => {
      const { gateway } = upstream
      await gateway.backend.play({ rules: [{ chunks: 30, betweenChunksMs: 40 }] })
      const running = await upstream.stream()
      assert.ok(await running.until((soFar) => countTexts(soFar) > 0), 'the stream did not begin')
      await gateway.renewLeaf({ isPublished: false })
      const { asked } = gateway
      const refused = await nothingSent(upstream, () => upstream.chat())
      expectError(refused, 'attestation_failed')
      expectSubset(objectOf(refused), { stage: 'upstream-tls-fingerprint', reason: 'leaf_mismatch' })
      assert.equal(refused.headers['x-should-retry'], 'true')
      assert.equal(refused.headers['retry-after'], '1')
      assert.ok(gateway.asked > asked, 'the evidence was not looked at once more')
      assert.ok(await upstream.isListed(), 'the verdict has gone')
      const { text } = expectStream(await running.done)
      assert.ok(text.endsWith('word30'), 'the stream did not come to its end')
    }),
})
