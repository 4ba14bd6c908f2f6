import assert from 'node:assert/strict'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectStream } from '../../engine/stream.ts'
import { nothingSent, upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

export default define({
  id: 'upstreams/leaf-swapped-chosen',
  rules: ['VERD-18', 'VERD-19', 'CONN-01', 'VRFY-20', 'ERR-47', 'ERR-41'],
  title:
    'Another certificate is upstream-tls-fingerprint after one check more, while the verdict and what runs over the right one go on',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
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
      assert.equal(refused.headers['x-should-retry'], 'false')
      assert.ok(gateway.asked > asked, 'the evidence was not looked at once more')
      assert.ok(await upstream.isListed(), 'the verdict has gone')
      const { text } = expectStream(await running.done)
      assert.ok(text.endsWith('word30'), 'the stream did not come to its end')
    }),
})
